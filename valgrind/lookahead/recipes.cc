// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/recipes.h"

namespace norn::vg {
namespace {

constexpr unsigned kRsp = Flow::slot_of(offsetof(VexGuestAMD64State, guest_RSP));

bool locate(Flow& flow, Node node, BlockId exit, Recipe& recipe, unsigned depth) {
  const PlaceInFlow wanted = flow.place(node);
  if (wanted.base == kNoNode) {
    recipe.steps = 1;
    recipe.offsets[0] = wanted.offset;
    return true;
  }
  const PlaceInFlow sp = flow.place(flow.before_call(exit, kRsp));
  if (flow.is_frame(wanted)) {
    if (!flow.is_frame(sp)) return false;
    recipe.register_offset = static_cast<Int>(kRsp * 8);
    recipe.steps = 1;
    recipe.offsets[0] = wanted.offset - sp.offset;
    return true;
  }
  constexpr Int kFirst = offsetof(VexGuestAMD64State, guest_RAX);
  constexpr Int kLast = offsetof(VexGuestAMD64State, guest_R15);
  for (Int offset = kFirst; offset <= kLast; offset += 8) {
    const PlaceInFlow held = flow.place(flow.before_call(exit, Flow::slot_of(offset)));
    if (held.base != wanted.base) continue;
    recipe.register_offset = offset;
    recipe.steps = 1;
    recipe.offsets[0] = wanted.offset - held.offset;
    return true;
  }
  if (flow.is_frame(sp)) {
    for (const MemoryEvent& event : flow.events) {
      if (event.what != MemoryEvent::What::kStore || event.size != 8) continue;
      const PlaceInFlow at = flow.place(event.address);
      if (!flow.is_frame(at)) continue;
      const Node held = flow.frame_at_end(exit, at.offset, 8);
      if (held == kNoNode || flow.find(held) != wanted.base) continue;
      recipe.register_offset = static_cast<Int>(kRsp * 8);
      recipe.steps = 2;
      recipe.offsets[0] = at.offset - sp.offset;
      recipe.offsets[1] = wanted.offset;
      return true;
    }
  }
  const NodeData base = flow.data(wanted.base);
  if (base.kind == NodeKind::kLoad && base.size == 8 && depth < 3) {
    if (!locate(flow, base.operands[0], exit, recipe, depth + 1) || recipe.steps == Recipe::kMostSteps) return false;
    recipe.offsets[recipe.steps++] = wanted.offset;
    return true;
  }
  return false;
}

}  // namespace

const Recipe* recipe_of(Flow& flow, const WaitCall& call, BlockId exit) {
  Recipe recipe = {-1, 0, {}};
  const Words& words = call.condition;
  if (words.steps == 0) return nullptr;
  if (words.argument < 0) {
    recipe.steps = 1;
  } else {
    const Node given = flow.before_call(call.block, Flow::argument_slot(static_cast<unsigned>(words.argument)));
    if (!locate(flow, given, exit, recipe, 0)) return nullptr;
  }
  if (recipe.steps + words.steps - 1 > Recipe::kMostSteps) return nullptr;
  recipe.offsets[recipe.steps - 1] += words.offsets[0];
  for (unsigned i = 1; i < words.steps; ++i) recipe.offsets[recipe.steps++] = words.offsets[i];
  auto* kept = memory.create<Recipe>();
  if (kept != nullptr) *kept = recipe;
  return kept;
}

}  // namespace norn::vg
