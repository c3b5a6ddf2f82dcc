// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/counting_loads.h"

#include "valgrind/lookahead/plan.h"

namespace norn::vg {
namespace {

constexpr unsigned kRaxSlot = Flow::slot_of(offsetof(VexGuestAMD64State, guest_RAX));

class Counting {
 public:
  explicit Counting(Flow& flow) : flow_(flow) {}

  void run() {
    for (BlockId block = 0; block < flow_.blocks.size(); ++block) find_updates(block);
    if (updates_.empty()) return;
    find_unknown_locals();
    find_decisions();
    for (const Update& update : updates_) {
      if (counts(update) && others_count(update)) plan(PlanItem::What::kCounts, update.ip, nullptr);
    }
  }

 private:
  using What = MemoryEvent::What;

  // A load, and the next store of its block to the same place.
  struct Update {
    BlockId block;
    uint64_t key;
    uint32_t store;  // in Flow::events
    Node load;
    Address ip;
    bool stored;  // what was loaded goes into the store
  };

  // --- loads and stores of one place

  void find_updates(BlockId block) {
    const FlowBlock& of = flow_.blocks[block];
    for (uint32_t i = 0; i < of.event_count; ++i) {
      const uint32_t store = of.first_event + i;
      if (flow_.events[store].what != What::kStore || flow_.is_own(flow_.place(flow_.events[store].address))) continue;
      const uint64_t key = flow_.key(flow_.events[store].address);
      for (uint32_t k = i; k > 0; --k) {
        const MemoryEvent event = flow_.events[of.first_event + k - 1];
        if (flow_.key(event.address) != key) continue;
        if (event.what != What::kLoad || event.size != flow_.events[store].size) break;
        updates_.add({block, key, store, event.node, event.ip, false});
      }
    }
  }

  bool is_update(uint32_t event) const {
    for (const Update& update : updates_) {
      if (update.store == event) return true;
    }
    return false;
  }

  // --- where values go

  void find_decisions() {
    for (BlockId i = 0; i < flow_.blocks.size(); ++i) {
      const FlowBlock block = flow_.blocks[i];
      for (uint32_t k = 0; k < block.edge_count; ++k) decide(flow_.edges[block.first_edge + k].guard);
      decide(block.callee_node);
      for (uint32_t k = 0; k < block.event_count; ++k) visit_event(block.first_event + k);
      hand_over(i, block);
    }
    for (Node node = 0; node < flow_.node_count(); ++node) {
      const NodeData data = flow_.data(node);
      if (data.kind == NodeKind::kSelect) decide(data.operands[0]);
      if (data.kind != NodeKind::kCas) continue;
      for (unsigned i = 0; i < data.operand_count; ++i) decide(data.operands[i]);
    }
  }

  void visit_event(uint32_t number) {
    const MemoryEvent event = flow_.events[number];
    decide(event.address);
    if (event.what != What::kStore) return;
    if (is_update(number)) {
      if (!follow_update(number)) decide(event.data);
    } else if (!is_known_local(event)) {
      decide(event.data);
    }
  }

  // What the block gives to whom it calls or returns to. Registers do not tell: unoptimised code leaves in them what it
  // happened to compute there (gcc's in %eax, %edx and %ecx), and seldom gives away what it has not loaded anew.
  void hand_over(BlockId i, const FlowBlock& block) {
    constexpr unsigned kSurelyGiven = 2;  // %rdi, %rsi
    if (block.calls) {
      for (unsigned number = 0; number < (is_unoptimised() ? kSurelyGiven : Flow::kArguments); ++number) {
        if (flow_.sets_argument(i, number)) decide(flow_.before_call(i, Flow::argument_slot(number)));
      }
    } else if (block.returns) {
      const Node result = flow_.before_call(i, kRaxSlot);
      if (is_unoptimised()) {
        decide_unless_left_over(result);
      } else {
        decide(result);
      }
    }
  }

  void decide_unless_left_over(Node node) {
    List<Node> ahead;
    ahead.add(node);
    ++generation_;
    while (!ahead.empty()) {
      const Node next = unconverted(ahead.back());
      ahead.drop_last();
      if (!note(seen_, next, generation_) || is_left_over(next)) continue;
      if (flow_.data(next).kind == NodeKind::kMerge) {
        add_operands(next, ahead);
      } else {
        decide(next);
      }
    }
  }

  // What an update has stored.
  bool is_left_over(Node node) {
    for (const Update& update : updates_) {
      if (node == unconverted(flow_.events[update.store].data)) return true;
    }
    return false;
  }

  Node unconverted(Node node) {
    for (;;) {
      node = flow_.find(node);
      const NodeData& data = flow_.data(node);
      if (data.kind != NodeKind::kOp || data.operand_count != 1 || data.value == Iop_Add64) return node;
      node = data.operands[0];
    }
  }

  // Whether the function begins as unoptimised ones do: it keeps a frame pointer.
  bool is_unoptimised() const {
    constexpr UChar kBranchTarget[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
    constexpr UChar kKeepsFrame[] = {0x55, 0x48, 0x89, 0xe5};    // push %rbp; mov %rsp, %rbp
    const Address entry = flow_.blocks[0].begin;
    const Address begin = begins_with(entry, kBranchTarget) ? entry + sizeof(kBranchTarget) : entry;
    return begins_with(begin, kKeepsFrame);
  }

  template <size_t kSize>
  static bool begins_with(Address code, const UChar (&bytes)[kSize]) {
    return Flow::is_constant_memory(code, kSize) && VG_(memcmp)(reinterpret_cast<const void*>(code), bytes, kSize) == 0;
  }

  // Loads of the frame that may see a store that is not known: what is stored there is not followed further.
  void find_unknown_locals() {
    for (const FlowBlock& block : flow_.blocks) {
      for (uint32_t i = 0; i < block.event_count; ++i) {
        const MemoryEvent event = flow_.events[block.first_event + i];
        if (event.what != What::kLoad || flow_.find(event.node) != event.node) continue;
        const PlaceInFlow at = flow_.place(event.address);
        if (flow_.is_frame(at)) unknown_locals_.add({at.offset, event.size});
      }
    }
  }

  bool is_known_local(const MemoryEvent& store) {
    const PlaceInFlow at = flow_.place(store.address);
    if (!flow_.is_frame(at) || !flow_.is_own(at)) return false;
    for (const Local& local : unknown_locals_) {
      if (local.offset < at.offset + store.size && at.offset < local.offset + local.size) return false;
    }
    return true;
  }

  // Something may depend on the value.
  void decide(Node node) {
    if (node == kNoNode) return;
    List<Node> ahead;
    ahead.add(node);
    while (!ahead.empty()) {
      const Node next = flow_.find(ahead.back());
      ahead.drop_last();
      if (!note(deciding_, next, 1)) continue;
      add_operands(next, ahead);
    }
  }

  // What is loaded elsewhere and goes into the store decides. False: there is too much of it.
  bool follow_update(uint32_t store) {
    constexpr uint32_t kMost = 256;
    List<Node> slice;
    slice.add(flow_.find(flow_.events[store].data));
    ++generation_;
    note(seen_, slice[0], generation_);
    List<Node> operands;
    for (uint32_t i = 0; i < slice.size(); ++i) {
      if (slice.size() > kMost) return false;
      if (flow_.data(slice[i]).kind == NodeKind::kLoad && !note_stored(store, slice[i])) decide(slice[i]);
      operands.clear();
      add_operands(slice[i], operands);
      for (const Node operand : operands) {
        const Node found = flow_.find(operand);
        if (note(seen_, found, generation_)) slice.add(found);
      }
    }
    return true;
  }

  bool note_stored(uint32_t store, Node load) {
    bool found = false;
    for (Update& update : updates_) {
      if (update.store != store || update.load != load) continue;
      update.stored = true;
      found = true;
    }
    return found;
  }

  // Not of a load: what it has is another's; its address is looked at for itself.
  void add_operands(Node node, List<Node>& operands) {
    const NodeData data = flow_.data(node);
    if (data.kind == NodeKind::kMerge) {
      for (uint32_t i = 0; i < data.operand_count; ++i) operands.add(flow_.merged[data.first_merged + i]);
    } else if (data.kind == NodeKind::kOp || data.kind == NodeKind::kSelect) {
      for (unsigned i = 0; i < data.operand_count; ++i) operands.add(data.operands[i]);
    }
  }

  // False: it was noted already.
  static bool note(List<uint32_t>& marks, Node node, uint32_t mark) {
    while (marks.size() <= node) marks.add(0);
    if (marks[node] == mark) return false;
    marks[node] = mark;
    return true;
  }

  // --- what comes of it

  bool counts(const Update& update) const {
    return update.stored && (update.load >= deciding_.size() || deciding_[update.load] == 0);
  }

  // Whether what is loaded from the place before the next call counts, too: it is what the update has left there.
  bool others_count(const Update& update) {
    constexpr uint32_t kMost = 32;
    List<BlockId> met;
    met.add(update.block);
    for (uint32_t i = 0; i < met.size() && i < kMost; ++i) {
      const FlowBlock block = flow_.blocks[met[i]];
      if (!loads_count(block, update.key)) return false;
      for (uint32_t k = 0; k < block.edge_count && !block.calls; ++k) {
        const BlockId to = flow_.edges[block.first_edge + k].block;
        if (to != kOutside && !met.contains(to)) met.add(to);
      }
    }
    return true;
  }

  bool loads_count(const FlowBlock& block, uint64_t key) {
    for (uint32_t i = 0; i < block.event_count; ++i) {
      const MemoryEvent event = flow_.events[block.first_event + i];
      if (event.what != What::kLoad || flow_.key(event.address) != key) continue;
      bool known = false;
      for (const Update& update : updates_) known |= update.load == event.node && counts(update);
      if (!known) return false;
    }
    return true;
  }

  struct Local {
    int64_t offset;
    unsigned size;
  };

  Flow& flow_;
  List<Update> updates_;
  List<Local> unknown_locals_;
  List<uint32_t> deciding_;  // by node; 1: something may depend on it
  List<uint32_t> seen_;      // by node; the last generation that met it
  uint32_t generation_ = 0;
};

}  // namespace

void plan_counting(Flow& flow) { Counting(flow).run(); }

}  // namespace norn::vg
