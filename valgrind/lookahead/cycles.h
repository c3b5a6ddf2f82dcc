// SPDX-License-Identifier: GPL-2.0-or-later
// The loops of a function.
#pragma once

#include "valgrind/lookahead/flow.h"

namespace norn::vg {

// One way round, or all ways round that share a header.
struct Cycle {
  BlockId header = 0;
  uint32_t first = 0;  // in Cycles::blocks; the header first
  uint32_t count = 0;
};

class Cycles {
 public:
  explicit Cycles(Flow& flow);

  List<Cycle> all;  // smaller ones first
  List<BlockId> blocks;

  [[nodiscard]] bool contains(const Cycle& cycle, BlockId block) const;
  [[nodiscard]] uint32_t innermost(BlockId block) const;

 private:
  // Reverse post-order, without recursion.
  void number();

  // Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001). False: there is no way back at all.
  bool find_dominators();
  [[nodiscard]] BlockId common(BlockId a, BlockId b) const;
  [[nodiscard]] bool dominates(BlockId above, BlockId below) const;
  void add(BlockId header, const List<BlockId>& latches);
  void find();

  Flow& flow_;
  List<BlockId> order_;
  List<uint32_t> order_of_;
  List<BlockId> dominator_;
};

}  // namespace norn::vg
