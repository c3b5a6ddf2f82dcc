// SPDX-License-Identifier: GPL-2.0-or-later
// A function of the program as its loops are judged: blocks of guest code, read ahead of their execution, and their
// values in static single assignment.
//
// Registers are variables, and so are the places of the function's own stack frame that are accessed at fixed offsets:
// without optimisation every local is one. A place whose address leaves the function (escapes) is one from a store to
// the next call only; otherwise it is memory. Values are made lazily, at joints (Braun et al., "Simple and Efficient
// Construction of Static Single Assignment Form", CC 2013), with a last pass over the joints that merge nothing.
#pragma once

#include "core/ids.h"
#include "valgrind/lookahead/growing_array.h"
#include "valgrind/tool/private.h"

namespace norn::vg {

using Node = uint32_t;
inline constexpr Node kNoNode = ~Node{0};
using BlockId = uint32_t;
inline constexpr BlockId kOutside = ~BlockId{0};

enum class NodeKind : uint8_t {
  kConst,    // value
  kOuter,    // what a register (value: its slot), or the caller's part of the stack, held when the function was entered
  kFrame,    // the stack pointer when the function was entered, plus value
  kOp,       // value: VEX's operation, or one of our own
  kSelect,   // operands: what decides, and what it chooses from
  kLoad,     // operand: address
  kInput,    // what a register (value: its slot) holds when the block begins; always stands for another node
  kMerge,    // operands in Flow::merged
  kResult,   // what the call at the block's end left in a register (value: its slot)
  kCas,      // what an atomic found; operands: address, expected, stored
  kUnknown,  // anything
};

struct NodeData {
  NodeKind kind = NodeKind::kUnknown;
  uint8_t size = 8;  // in bytes, of a load or an atomic
  uint16_t operand_count = 0;
  BlockId block = 0;
  uint64_t value = 0;
  Address ip = 0;  // of an operation of our own and of a sum: what it needs besides
  Node operands[4] = {kNoNode, kNoNode, kNoNode, kNoNode};
  uint32_t first_merged = 0;
  Node forward = kNoNode;  // what it turned out to be
};

// What a block does to memory, in order.
struct MemoryEvent {
  enum class What : uint8_t { kLoad, kStore, kCas, kClobber } what;
  uint8_t size;
  Address ip;
  Node node;  // of a load, an atomic
  Node address;
  Node data;  // of a store
};

struct Edge {
  Address to;
  BlockId block;  // kOutside: not part of the function, or beyond what is looked at
  Node guard;     // kNoNode: whenever no other edge is taken
  bool inverted;  // taken when the guard does not hold
};

struct FlowBlock {
  Address begin = 0;
  Address last = 0;  // its last instruction
  Address end = 0;
  uint32_t first_instruction = 0;  // in Flow::instructions
  uint32_t instruction_count = 0;
  uint32_t first_edge = 0;
  uint32_t edge_count = 0;
  uint32_t first_event = 0;
  uint32_t event_count = 0;
  uint32_t first_before = 0;
  uint32_t before_count = 0;
  bool calls = false;    // ends with a call, in whatever way
  bool returns = false;  // leaves the function
  bool system = false;   // ends with a system call
  Address callee = 0;    // 0: known at run time only
  Node callee_node = kNoNode;
};

// An address as a base and an offset. No base: it is the offset.
struct PlaceInFlow {
  Node base = kNoNode;
  int64_t offset = 0;
};

class Flow {
 public:
  static constexpr unsigned kSlots = 96;  // of 8 bytes, of the guest's state
  static constexpr unsigned slot_of(Int offset) { return static_cast<unsigned>(offset) / 8; }
  static constexpr unsigned kArguments = 6;
  static unsigned argument_slot(unsigned number);

  // False: there is nothing at this address.
  bool build(GuestCode& code, Address entry, unsigned most_blocks);
  [[nodiscard]] GuestCode& code() const { return *code_; }

  List<Address> instructions;
  List<FlowBlock> blocks;  // the first is where the function is entered
  List<Edge> edges;
  List<MemoryEvent> events;
  List<BlockId> before;  // predecessors
  List<Node> merged;

  // What a node stands for.
  Node find(Node node);
  NodeData& data(Node node) { return nodes_[node]; }
  [[nodiscard]] uint32_t node_count() const { return nodes_.size(); }

  // What a register holds when control leaves the block; before the call, if it ends with one.
  Node at_end(BlockId block, unsigned slot);
  Node before_call(BlockId block, unsigned slot);
  // Whether the call at the block's end seems to have such an argument. Registers tell no number.
  bool sets_argument(BlockId block, unsigned number);

  PlaceInFlow place(Node address);
  // The same number for the same words: equal places, as long as nothing in between writes what the words speak of.
  uint64_t key(Node address) { return key_of(place(address)); }
  uint64_t key_of(const PlaceInFlow& place, unsigned depth = 0);
  [[nodiscard]] bool is_frame(const PlaceInFlow& place) {
    return place.base != kNoNode && data(place.base).kind == NodeKind::kFrame;
  }
  [[nodiscard]] bool escapes(int64_t offset) const;
  // What a place of the frame holds at the end of a block, if that is known.
  Node frame_at_end(BlockId block, int64_t offset, unsigned size);
  // Memory of the thread alone: its own frame, or thread-local.
  [[nodiscard]] bool is_own(const PlaceInFlow& place);
  // A place that nobody can write to.
  static bool is_constant_memory(Address address, unsigned size);

 private:
  friend class BlockReader;
  struct FrameVariable {  // when a block begins
    int64_t offset;
    unsigned size;
    Node value;     // kNoNode: memory
    uint32_t next;  // of the same block
  };

  BlockId block_at(Address address);
  bool read(GuestCode& code, BlockId block, unsigned instructions);
  void cut(GuestCode& code);
  void connect();
  Node add(const NodeData& node) { return nodes_.add(node); }
  Node constant(uint64_t value, BlockId block);
  Node frame_address(int64_t offset);
  Node sum(Node node, int64_t offset, BlockId block);
  // A node plus a constant, which stands in `ip`.
  static bool is_sum(const NodeData& node);
  Node new_merge(BlockId block);
  void set_merged(Node merge, const List<Node>& operands);
  Node input(BlockId block, unsigned slot);
  Node entry_value(unsigned slot);
  Node& known_input(BlockId block, unsigned slot) { return inputs_[block * kSlots + slot]; }
  Node& known_output(BlockId block, unsigned slot) { return outputs_[block * kSlots + slot]; }
  void simplify();
  bool is_trivial(Node merge);
  void find_escapes();
  void note_escape(Node node);
  void forward_frame();
  Node frame_before(BlockId block, uint32_t event, int64_t offset, unsigned size);
  Node frame_at_begin(BlockId block, int64_t offset, unsigned size);

  List<NodeData> nodes_;
  List<Node> inputs_;   // by block and slot
  List<Node> outputs_;  // what the block itself put there, before its call
  List<Node> entry_values_;
  List<Node> results_;
  List<Node> frames_;
  List<Node> merges_;
  List<int64_t> escaped_;
  List<FrameVariable> frame_variables_;
  List<uint32_t> frame_heads_;
  unsigned most_blocks_ = 0;
  GuestCode* code_ = nullptr;
};

}  // namespace norn::vg
