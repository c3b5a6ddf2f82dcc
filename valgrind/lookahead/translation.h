// SPDX-License-Identifier: GPL-2.0-or-later
// A loop of guest code in the form in which loops are judged.
#pragma once

#include "loops/loop.h"
#include "valgrind/lookahead/cycles.h"
#include "valgrind/lookahead/summaries.h"

namespace norn::vg {

// One loop in the neutral form.
class Translation {
 public:
  using Index = loops::Index;

  Translation(GuestCode& code, Flow& flow, const Cycles& cycles, const Cycle& loop);

  [[nodiscard]] loops::Judgement judge(BlockId block, Node condition);

  // Of the last judgement.
  template <class Visit>
  void for_condition(Visit visit) {
    for (Index i = 0; i < values_.size(); ++i) {
      if (in_condition_[i] && nodes_[i] != kNoNode) visit(nodes_[i], values_[i]);
    }
  }
  [[nodiscard]] bool in_condition(BlockId block);

  // The atomic that a load is part of.
  Node atomic_of(Node load);

  [[nodiscard]] bool has_block(BlockId block) const { return block != kOutside && numbers_[block] != loops::kNone; }
  [[nodiscard]] bool calls_unknown() const { return calls_unknown_; }

 private:
  [[nodiscard]] loops::Loop form() const;

  // Whether a value may be another one in the next iteration.
  bool has(Node node);
  Index known(Node node);
  Index index_of(Node node);
  Index constant(Index block);
  Index location(uint64_t key);

  // --- what the loop writes

  template <class Visit>
  void for_blocks(Visit visit);
  void collect_writes();
  void collect_writes_of_call(BlockId block);

  // The key of an object that the call is given; 0: it is given none there, as far as can be seen.
  uint64_t object_given(BlockId block, unsigned number);
  uint64_t key_in_caller(const Words& words, BlockId block);
  bool is_set(Node cas);

  // --- values

  void translate_block(BlockId block);
  void translate(Index index);
  void depend_on(Node node, List<Index>& from);
  loops::Value kind_of(Node node, List<Index>& from);

  // What comes round in different ways matters even where it is of the outside: which of them tells the way.
  void merge(const NodeData& data, List<Index>& from);
  loops::Value update(Node node, const NodeData& data, List<Index>& from);
  loops::Value read(Node node, const NodeData& data, List<Index>& from);
  loops::Value result(const NodeData& data, List<Index>& from);

  // A place that stands for what a call reads and the loop may write.
  Index something_written();

  // Whether the loop may change what the call looks at: it writes a place that the call reads, or hands the same object
  // to somebody of whom nothing is known.
  bool may_change_between(BlockId block, const Summary& callee);

  struct Given {
    BlockId block;
    uint64_t key;
  };
  static constexpr uint8_t kNotAsked = 2;
  static constexpr uint8_t kYes = 1;
  static constexpr uint8_t kNo = 0;

  GuestCode& code_;
  Flow& flow_;
  const Cycles& cycles_;
  const Cycle& loop_;
  List<Index> numbers_;  // of blocks
  List<uint8_t> has_;    // by node
  List<Index> index_;    // by node
  List<uint64_t> locations_;
  List<Given> given_away_;
  bool calls_unknown_ = false;  // something is called that may write anything
  bool writes_own_ = false;
  List<loops::Value> values_;
  List<Node> nodes_;  // of the values; kNoNode: of the outside
  List<Index> operands_;
  List<loops::Block> blocks_;
  List<Index> successors_;
  List<Index> written_;
  List<uint32_t> scratch_;
  List<bool> in_condition_;
};

}  // namespace norn::vg
