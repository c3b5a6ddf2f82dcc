// SPDX-License-Identifier: GPL-2.0-or-later
// First tests that stand before a loop, copied there by the optimiser or written there: a branch that reads a place
// that an exit's condition reads, leads into the loop on one side, and past it to where the exit leads on the other. An
// edge past the loop is an exit like its model.
#pragma once

#include "valgrind/lookahead/translation.h"

namespace norn::vg {

class FirstTests {
 public:
  FirstTests(Flow& flow, const Cycles& cycles, const Cycle& loop, const Translation& translation)
      : flow_(flow), cycles_(cycles), loop_(loop), translation_(translation) {}

  // Calls visit(block, its edge past the loop, the parts of its condition that read the same) for each that is a copy
  // of an exit. `parts`: of the exit's condition.
  template <class Visit>
  void for_copies(const Edge& exit, const List<Node>& parts, Visit visit) {
    for (BlockId block = 0; block < flow_.blocks.size(); ++block) {
      const Edge* found = edge_past(block, exit);
      if (found == nullptr) continue;
      const Edge past = *found;
      List<Node> same;
      find_same(flow_.edges[flow_.blocks[block].first_edge].guard, parts, same, 0);
      if (!same.empty()) visit(block, past, same);
    }
  }

 private:
  // The edge of a branch before the loop that leads past it. Null: it is no such branch.
  const Edge* edge_past(BlockId block, const Edge& exit);

  // The parts of a condition that read what one of `parts` reads.
  void find_same(Node condition, const List<Node>& parts, List<Node>& same, unsigned depth);

  bool is_same_callee(BlockId a, BlockId b);

  // Whether both ways lead to one place soon. What the optimiser knows of the first test it makes use of behind it: the
  // copy may lead a little further than its model.
  bool meet(BlockId a, BlockId b);

  // The blocks that control may come to soon, outside of the loop.
  void look_around(BlockId from, List<BlockId>& met);

  bool leads_into(BlockId from, BlockId origin);

  Flow& flow_;
  const Cycles& cycles_;
  const Cycle& loop_;
  const Translation& translation_;
};

}  // namespace norn::vg
