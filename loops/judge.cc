#include "loops/loop.h"

namespace norn::loops {
namespace {

class Judge final {
 public:
  Judge(const Loop& loop, std::span<uint32_t> scratch, std::span<bool> in_condition)
      : loop_(loop), in_condition_(in_condition) {
    uint32_t* next = scratch.data();
    const auto take = [&](size_t count) {
      const std::span<uint32_t> part(next, count);
      next += count;
      for (uint32_t& word : part) word = 0;
      return part;
    };
    pending_ = take(2 * loop.values.size());
    decides_ = take(loop.values.size());
    carried_ = take(loop.values.size());
    carried_stack_ = take(2 * loop.values.size());
    seen_block_ = take(loop.blocks.size());
    block_stack_ = take(loop.blocks.size());
    counted_block_ = take(loop.blocks.size());
    chosen_block_ = take(loop.blocks.size());
    reaching_ = take(loop.blocks.size());
    first_predecessor_ = take(loop.blocks.size() + 1);
    predecessors_ = take(loop.successors.size());
    find_predecessors();
    for (bool& in : in_condition_) in = false;
  }

  Judgement run(const Exit& exit) {
    count_block(exit.block);
    depend_on(exit.condition);
    // The exit is reached only if those decided so that could have gone round instead. Whoever could have left the loop
    // is judged by his own exit.
    find_reaching(exit.block);
    for (Index block = 0; block < loop_.blocks.size(); ++block) {
      if (block != exit.block && decides(block) && reaching_[block] != 0 && bypasses(block, exit.block)) {
        depend_on_guard(block);
      }
    }
    while (pending_count_ != 0) visit(pending_[--pending_count_]);
    // Who has made one variable atomic has said by which he waits.
    if (read_plainly_ != kNone && reads_atomics_) spoil(Verdict::kData, read_plainly_);

    if (judgement_.verdict != Verdict::kReadsNothing) return judgement_;
    if (judgement_.reads_memory) judgement_.verdict = Verdict::kSpins;
    return judgement_;
  }

 private:
  [[nodiscard]] std::span<const Index> operands(const Value& value) const {
    return loop_.operands.subspan(value.first_operand, value.operand_count);
  }
  [[nodiscard]] std::span<const Index> successors(Index block) const {
    return loop_.successors.subspan(loop_.blocks[block].first_successor, loop_.blocks[block].successor_count);
  }

  // `decides`: the value itself matters, and not only the place that it leads to. A value is visited again if it turns
  // out later that it does.
  void depend_on(Index value, bool decides = true) {
    if (value == kNone || (in_condition_[value] && (!decides || decides_[value] != 0))) return;
    in_condition_[value] = true;
    decides_[value] |= decides ? 1 : 0;
    pending_[pending_count_++] = value;
  }

  void depend_on_guard(Index block) {
    count_block(block);
    depend_on(loop_.blocks[block].guard);
  }

  void count_block(Index block) {
    judgement_.blocks += counted_block_[block] == 0 ? 1 : 0;
    counted_block_[block] = 1;
  }

  void spoil(Verdict verdict, Index value) {
    if (judgement_.verdict != Verdict::kReadsNothing) return;
    judgement_.verdict = verdict;
    judgement_.because = value;
  }

  void visit(Index index) {
    const Value& value = loop_.values[index];
    const bool decides = decides_[index] != 0;
    bool leads_to_operands = false;
    count_block(value.block);
    switch (value.kind) {
      case Kind::kCompute:
      case Kind::kSelect:
        break;
      case Kind::kMerge:
        if (is_carried(index)) spoil(Verdict::kChanges, index);
        choose(value);
        break;
      case Kind::kUnresolved:
        judgement_.resolved = false;
        [[fallthrough]];
      case Kind::kRead:
      case Kind::kAccessor:
      case Kind::kTestAndSet:
      case Kind::kTryLock:
        judgement_.reads_memory = true;
        leads_to_operands = true;
        if (is_written(value.location)) spoil(Verdict::kWritten, index);
        if (decides && value.used_otherwise) spoil(Verdict::kData, index);
        if (decides && value.reads_plainly && read_plainly_ == kNone) read_plainly_ = index;
        reads_atomics_ |= value.reads_atomics;
        break;
      case Kind::kWait:
        spoil(Verdict::kTimesOut, index);
        break;
      case Kind::kChange:
        spoil(Verdict::kChanges, index);
        break;
    }
    for (const Index operand : operands(value)) depend_on(operand, decides && !leads_to_operands);
  }

  [[nodiscard]] bool is_written(Index location) const {
    if (location == kNone) return false;
    for (const Index written : loop_.written) {
      if (written == location) return true;
    }
    return false;
  }

  // A merge of different values says which way control came. All merges of a block say the same.
  void choose(const Value& merge) {
    if (merge.block == 0 && merge.operand_count < 2) return;  // entered from outside, or come round in one way
    if (chosen_block_[merge.block] != 0) return;
    chosen_block_[merge.block] = 1;
    if (merge.block == 0) {
      for (Index block = 0; block < loop_.blocks.size(); ++block) {
        if (decides(block)) depend_on_guard(block);
      }
      return;
    }
    find_reaching(merge.block);
    for (Index block = 0; block < loop_.blocks.size(); ++block) {
      if (decides(block) && reaches_by_two_ways(block, merge.block)) depend_on_guard(block);
    }
  }

  // Whether what the header merges is made of what it merged one iteration before, other than by copying it.
  [[nodiscard]] bool is_carried(Index merge) {
    if (loop_.values[merge].block != 0) return false;
    constexpr uint32_t kByCopies = 1;
    constexpr uint32_t kChanged = 2;
    for (uint32_t& word : carried_) word = 0;
    size_t count = 0;
    const auto push = [&](Index value, uint32_t how) {
      if ((carried_[value] & how) != 0) return;
      carried_[value] |= how;
      carried_stack_[count++] = value << 1 | (how == kChanged ? 1 : 0);
    };
    for (const Index operand : operands(loop_.values[merge])) push(operand, kByCopies);
    while (count != 0) {
      const uint32_t entry = carried_stack_[--count];
      const Value& value = loop_.values[entry >> 1];
      const bool changed = (entry & 1) != 0;
      if (entry >> 1 == merge) {
        if (changed) return true;
        continue;
      }
      const std::span<const Index> from = operands(value);
      for (size_t i = 0; i < from.size(); ++i) {
        const bool copies = value.kind == Kind::kMerge || (value.kind == Kind::kSelect && i != 0);
        // What decides is no part of the value; it is followed as part of the condition.
        if (value.kind == Kind::kSelect && i == 0) continue;
        push(from[i], copies && !changed ? kByCopies : kChanged);
      }
    }
    return false;
  }

  // A block that goes on in more than one way, all of them in the loop.
  [[nodiscard]] bool decides(Index block) const {
    const std::span<const Index> next = successors(block);
    for (const Index successor : next) {
      if (successor == kNone) return false;
    }
    for (const Index successor : next) {
      if (successor != next[0]) return true;
    }
    return false;
  }

  // By how many each block has, then by filling each one's part from its end.
  void find_predecessors() {
    for_each_edge([&](Index, Index to) { ++first_predecessor_[to]; });
    uint32_t end = 0;
    for (uint32_t& first : first_predecessor_) first = end += first;
    for_each_edge([&](Index from, Index to) { predecessors_[--first_predecessor_[to]] = from; });
  }

  template <class Call>
  void for_each_edge(Call call) const {
    for (Index from = 0; from < loop_.blocks.size(); ++from) {
      for (const Index to : successors(from)) {
        if (to != kNone) call(from, to);
      }
    }
  }

  [[nodiscard]] std::span<const uint32_t> predecessors(Index block) const {
    return std::span<const uint32_t>(predecessors_)
        .subspan(first_predecessor_[block], first_predecessor_[block + 1] - first_predecessor_[block]);
  }

  // Finds the blocks from which control can come to `to` without coming round.
  void find_reaching(Index to) {
    for (uint32_t& word : reaching_) word = 0;
    walking_ = 0;
    block_stack_[walking_++] = to;
    while (walking_ != 0) {
      const Index block = block_stack_[--walking_];
      if (block == 0) continue;
      for (const Index from : predecessors(block)) {
        if (reaching_[from] != 0) continue;
        reaching_[from] = 1;
        block_stack_[walking_++] = from;
      }
    }
  }

  [[nodiscard]] bool is_on_the_way(Index block, Index to) const {
    return block != kNone && block != 0 && (block == to || reaching_[block] != 0);
  }

  // Whether control can come round, or leave, from `from` without passing `avoided`.
  [[nodiscard]] bool bypasses(Index from, Index avoided) {
    start_walk(avoided);
    for (const Index successor : successors(from)) step_to(successor);
    while (walking_ != 0 && !came_round_) {
      const Index block = block_stack_[--walking_];
      for (const Index successor : successors(block)) step_to(successor);
    }
    return came_round_;
  }

  [[nodiscard]] bool reaches_by_two_ways(Index from, Index to) const {
    unsigned ways = 0;
    Index last = kNone;
    for (const Index successor : successors(from)) {
      if (successor == last || successor == 0) continue;
      last = successor;
      ways += is_on_the_way(successor, to) ? 1 : 0;
    }
    return ways > 1;
  }

  void start_walk(Index avoided) {
    for (uint32_t& word : seen_block_) word = 0;
    seen_block_[avoided] = 1;
    walking_ = 0;
    came_round_ = false;
  }

  void step_to(Index block) {
    if (block == kNone || block == 0) {
      came_round_ = true;
      return;
    }
    if (seen_block_[block] != 0) return;
    seen_block_[block] = 1;
    block_stack_[walking_++] = block;
  }

  const Loop& loop_;
  std::span<bool> in_condition_;
  std::span<uint32_t> pending_;
  std::span<uint32_t> decides_;
  std::span<uint32_t> carried_;
  std::span<uint32_t> carried_stack_;
  std::span<uint32_t> seen_block_;
  std::span<uint32_t> block_stack_;
  std::span<uint32_t> counted_block_;
  std::span<uint32_t> chosen_block_;
  std::span<uint32_t> reaching_;
  std::span<uint32_t> first_predecessor_;
  std::span<uint32_t> predecessors_;
  size_t pending_count_ = 0;
  size_t walking_ = 0;
  bool came_round_ = false;
  Index read_plainly_ = kNone;  // the first such read that decides
  bool reads_atomics_ = false;
  Judgement judgement_;
};

}  // namespace

size_t scratch_words(const Loop& loop) {
  return 6 * loop.values.size() + 6 * loop.blocks.size() + 1 + loop.successors.size();
}

Judgement judge(const Loop& loop, const Exit& exit, std::span<uint32_t> scratch, std::span<bool> in_condition) {
  return Judge(loop, scratch, in_condition).run(exit);
}

const char* words(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSpins:
      return "waits for another thread";
    case Verdict::kReadsNothing:
      return "depends on no shared memory";
    case Verdict::kChanges:
      return "depends on what the loop changes";
    case Verdict::kWritten:
      return "depends on memory that the loop writes";
    case Verdict::kTimesOut:
      return "depends on how a wait ended";
    case Verdict::kData:
      return "depends on data, which is used for more than to decide";
    case Verdict::kFails:
      return "leads to a failure";
  }
  return "";
}

}  // namespace norn::loops
