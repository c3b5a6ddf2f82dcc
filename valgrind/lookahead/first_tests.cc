// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/first_tests.h"

namespace norn::vg {

const Edge* FirstTests::edge_past(BlockId block, const Edge& exit) {
  if (translation_.has_block(block) || flow_.blocks[block].edge_count != 2) return nullptr;
  const Edge* edges = &flow_.edges[flow_.blocks[block].first_edge];
  if (edges[0].guard == kNoNode) return nullptr;
  const bool in[] = {leads_into(edges[0].block, block), leads_into(edges[1].block, block)};
  if (in[0] == in[1]) return nullptr;
  const Edge& out = edges[in[0] ? 1 : 0];
  return meet(out.block, exit.block) || out.to == exit.to ? &out : nullptr;
}

void FirstTests::find_same(Node condition, const List<Node>& parts, List<Node>& same, unsigned depth) {
  constexpr unsigned kDeepest = 16;
  if (condition == kNoNode || depth == kDeepest) return;
  const Node node = flow_.find(condition);
  const NodeData data = flow_.data(node);
  switch (data.kind) {
    case NodeKind::kOp:
    case NodeKind::kSelect:
      for (unsigned i = 0; i < data.operand_count; ++i) find_same(data.operands[i], parts, same, depth + 1);
      break;
    case NodeKind::kLoad:
    case NodeKind::kCas:
      for (const Node part : parts) {
        const NodeData model = flow_.data(part);
        const bool reads = model.kind == NodeKind::kLoad || model.kind == NodeKind::kCas;
        if (!reads || flow_.key(model.operands[0]) != flow_.key(data.operands[0])) continue;
        same.add(node);
        break;
      }
      break;
    case NodeKind::kResult:
      for (const Node part : parts) {
        const NodeData model = flow_.data(part);
        if (model.kind != NodeKind::kResult || !is_same_callee(model.block, data.block)) continue;
        same.add(node);
        break;
      }
      break;
    default:
      break;
  }
}

bool FirstTests::is_same_callee(BlockId a, BlockId b) {
  const FlowBlock first = flow_.blocks[a];
  const FlowBlock second = flow_.blocks[b];
  if (first.callee != 0 || second.callee != 0) return first.callee == second.callee;
  return first.callee_node != kNoNode && second.callee_node != kNoNode &&
         flow_.key(first.callee_node) == flow_.key(second.callee_node);
}

bool FirstTests::meet(BlockId a, BlockId b) {
  List<BlockId> from_a;
  List<BlockId> from_b;
  look_around(a, from_a);
  look_around(b, from_b);
  bool returns_a = false;
  bool returns_b = false;
  for (const BlockId block : from_b) returns_b |= flow_.blocks[block].returns;
  for (const BlockId block : from_a) {
    if (from_b.contains(block)) return true;
    returns_a |= flow_.blocks[block].returns;
  }
  // The function's end was copied, too.
  return returns_a && returns_b;
}

void FirstTests::look_around(BlockId from, List<BlockId>& met) {
  constexpr unsigned kMost = 6;
  if (from == kOutside || translation_.has_block(from)) return;
  met.add(from);
  for (uint32_t i = 0; i < met.size() && met.size() < kMost; ++i) {
    const FlowBlock block = flow_.blocks[met[i]];
    for (uint32_t k = 0; k < block.edge_count; ++k) {
      const BlockId to = flow_.edges[block.first_edge + k].block;
      if (to != kOutside && !translation_.has_block(to) && !met.contains(to)) met.add(to);
    }
  }
}

bool FirstTests::leads_into(BlockId from, BlockId origin) {
  constexpr unsigned kFarthest = 8;
  List<BlockId> exits;
  for (uint32_t i = 0; i < loop_.count; ++i) {
    const FlowBlock& block = flow_.blocks[cycles_.blocks[loop_.first + i]];
    for (uint32_t k = 0; k < block.edge_count; ++k) {
      const BlockId to = flow_.edges[block.first_edge + k].block;
      if (!translation_.has_block(to) && to != kOutside) exits.add(to);
    }
  }
  List<BlockId> ahead;
  List<BlockId> met;
  ahead.add(from);
  met.add(origin);
  while (!ahead.empty() && met.size() < kFarthest) {
    const BlockId block = ahead.back();
    ahead.drop_last();
    if (block == kOutside) continue;
    if (translation_.has_block(block)) return true;
    if (exits.contains(block) || met.contains(block)) continue;
    met.add(block);
    for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
      ahead.add(flow_.edges[flow_.blocks[block].first_edge + k].block);
    }
  }
  return false;
}

}  // namespace norn::vg
