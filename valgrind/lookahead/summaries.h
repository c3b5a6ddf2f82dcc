// SPDX-License-Identifier: GPL-2.0-or-later
// What calls mean to a loop: the functions of the threading libraries by name, all others by what their code does, so
// that wrappers and accessors are seen through. The same as compiler/loops/loop_calls.h.
#pragma once

#include "loops/calls.h"
#include "valgrind/lookahead/flow.h"

namespace norn::vg {

// A value in the words of a function's caller: an argument or nothing, plus an offset; then what memory holds there,
// plus another, and so on.
struct Words {
  static constexpr unsigned kMostSteps = 6;
  int argument = -1;   // negative: none
  unsigned steps = 0;  // 0: it cannot be said
  int64_t offsets[kMostSteps] = {};
};

struct Summary {
  loops::CallKind kind = loops::CallKind::kEffects;
  bool knows_writes = false;  // `writes` is all that is written, but for the callee's own memory
  bool waits = false;         // outside any loop of its own
  unsigned blocks = 0;
  Words condition;  // what it waits on
  static constexpr unsigned kMostPlaces = 12;
  unsigned write_count = 0;
  Words writes[kMostPlaces];
  unsigned read_count = 0;
  Words reads[kMostPlaces];  // some of what is read
};

// Known for as long as the program runs.
const Summary& summary_of(GuestCode& code, Address callee, unsigned depth = 0);
// Of the call at the end of a block.
const Summary& summary_of_call(GuestCode& code, Flow& flow, BlockId block, unsigned depth = 0);

// The memory operand of an atomic that stores the same whatever it finds, and what it expects. `in_loop` says whether a
// node may be another one each time.
template <class InLoop>
bool is_test_and_set(Flow& flow, Node cas, InLoop in_loop) {
  const NodeData node = flow.data(cas);
  const auto is_own_load = [&](Node from) {
    from = flow.find(from);
    const NodeData& data = flow.data(from);
    return data.kind == NodeKind::kLoad && data.ip == node.ip;
  };
  // xchg, or: VEX loads first and compares with that.
  if (!is_own_load(node.operands[1]) && in_loop(node.operands[1])) return false;
  if (!in_loop(node.operands[2])) return true;
  if (!is_own_load(node.operands[1])) return false;
  const NodeData stored = flow.data(flow.find(node.operands[2]));
  const bool sets = stored.kind == NodeKind::kOp && ((stored.value >= Iop_And8 && stored.value <= Iop_And64) ||
                                                     (stored.value >= Iop_Or8 && stored.value <= Iop_Or64));
  if (!sets || stored.operand_count != 2) return false;
  const bool first = is_own_load(stored.operands[0]);
  const bool second = is_own_load(stored.operands[1]);
  return (first && !in_loop(stored.operands[1])) || (second && !in_loop(stored.operands[0]));
}

}  // namespace norn::vg
