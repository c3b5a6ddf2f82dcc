// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/cycles.h"

#include "loops/loop.h"

namespace norn::vg {

using loops::kNone;

constexpr unsigned kMostCycles = 96;

Cycles::Cycles(Flow& flow) : flow_(flow) {
  number();
  if (find_dominators()) find();
}

bool Cycles::contains(const Cycle& cycle, BlockId block) const {
  for (uint32_t i = 0; i < cycle.count; ++i) {
    if (blocks[cycle.first + i] == block) return true;
  }
  return false;
}

uint32_t Cycles::innermost(BlockId block) const {
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (contains(all[i], block)) return i;
  }
  return kNone;
}

void Cycles::number() {
  order_of_.assign(flow_.blocks.size(), kNone);
  List<uint32_t> next_edge;
  next_edge.assign(flow_.blocks.size(), 0);
  List<uint8_t> met;
  met.assign(flow_.blocks.size(), 0);
  List<BlockId> path;
  path.add(0);
  met[0] = 1;
  List<BlockId> finished;
  while (!path.empty()) {
    const BlockId block = path.back();
    if (next_edge[block] == flow_.blocks[block].edge_count) {
      finished.add(block);
      path.drop_last();
      continue;
    }
    const BlockId to = flow_.edges[flow_.blocks[block].first_edge + next_edge[block]++].block;
    if (to == kOutside || met[to] != 0) {
      continue;
    }
    met[to] = 1;
    path.add(to);
  }
  for (uint32_t i = finished.size(); i > 0; --i) {
    order_of_[finished[i - 1]] = order_.size();
    order_.add(finished[i - 1]);
  }
}

bool Cycles::find_dominators() {
  bool goes_back = false;
  dominator_.assign(flow_.blocks.size(), kNone);
  dominator_[0] = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 1; i < order_.size(); ++i) {
      const BlockId block = order_[i];
      BlockId best = kNone;
      for (uint32_t k = 0; k < flow_.blocks[block].before_count; ++k) {
        const BlockId from = flow_.before[flow_.blocks[block].first_before + k];
        goes_back |= order_of_[from] >= i;
        if (dominator_[from] == kNone) continue;
        best = best == kNone ? from : common(best, from);
      }
      changed |= dominator_[block] != best;
      dominator_[block] = best;
    }
  }
  for (uint32_t k = 0; k < flow_.blocks[0].before_count; ++k) goes_back = true;
  return goes_back;
}

BlockId Cycles::common(BlockId a, BlockId b) const {
  while (a != b) {
    while (order_of_[a] > order_of_[b]) a = dominator_[a];
    while (order_of_[b] > order_of_[a]) b = dominator_[b];
  }
  return a;
}

bool Cycles::dominates(BlockId above, BlockId below) const {
  while (order_of_[below] > order_of_[above]) below = dominator_[below];
  return below == above;
}

void Cycles::add(BlockId header, const List<BlockId>& latches) {
  if (all.size() == kMostCycles) return;
  Cycle cycle = {header, blocks.size(), 1};
  blocks.add(header);
  List<BlockId> ahead;
  for (const BlockId latch : latches) ahead.add(latch);
  while (!ahead.empty()) {
    const BlockId block = ahead.back();
    ahead.drop_last();
    if (contains(cycle, block)) continue;
    blocks.add(block);
    ++cycle.count;
    for (uint32_t k = 0; k < flow_.blocks[block].before_count; ++k) {
      ahead.add(flow_.before[flow_.blocks[block].first_before + k]);
    }
  }
  all.add(cycle);
}

void Cycles::find() {
  for (const BlockId header : order_) {
    List<BlockId> latches;
    for (uint32_t k = 0; k < flow_.blocks[header].before_count; ++k) {
      const BlockId from = flow_.before[flow_.blocks[header].first_before + k];
      if (order_of_[from] != kNone && dominates(header, from)) latches.add(from);
    }
    if (latches.empty()) continue;
    if (latches.size() > 1) {
      for (const BlockId latch : latches) {
        List<BlockId> one;
        one.add(latch);
        add(header, one);
      }
    }
    add(header, latches);
  }
  // Smaller ones first; of equal ones the first found.
  for (uint32_t i = 1; i < all.size(); ++i) {
    const Cycle cycle = all[i];
    uint32_t at = i;
    for (; at > 0 && all[at - 1].count > cycle.count; --at) all[at] = all[at - 1];
    all[at] = cycle;
  }
}

}  // namespace norn::vg
