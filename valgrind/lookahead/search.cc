// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/search.h"

#include "loops/loop.h"
#include "valgrind/lookahead/cycles.h"
#include "valgrind/lookahead/first_tests.h"
#include "valgrind/lookahead/pictures.h"
#include "valgrind/lookahead/plan.h"
#include "valgrind/lookahead/recipes.h"
#include "valgrind/lookahead/targets.h"
#include "valgrind/lookahead/translation.h"

namespace norn::vg {
namespace {

using loops::CallKind;
using loops::Kind;

class Search {
 public:
  Search(GuestCode& code, Flow& flow) : code_(code), flow_(flow), cycles_(flow) {}

  void run() {
    // Smaller ones first: an edge out of several loops ends the waiting of the innermost that waits.
    for (uint32_t i = 0; i < cycles_.all.size(); ++i) visit(i);
  }

 private:
  struct Exit {
    BlockId block;
    Edge edge;
    loops::Judgement judgement;
  };

  void visit(uint32_t number) {
    const Cycle loop = cycles_.all[number];
    Translation translation(code_, flow_, cycles_, loop);
    List<WaitCall> waits;
    find_waits(loop, number, waits);
    List<Exit> exits;
    for (uint32_t i = 0; i < loop.count; ++i) {
      const BlockId block = cycles_.blocks[loop.first + i];
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        const Edge edge = flow_.edges[flow_.blocks[block].first_edge + k];
        if (translation.has_block(edge.block) || edge.guard == kNoNode) continue;
        loops::Judgement judgement = translation.judge(block, edge.guard);
        if (judgement.verdict == loops::Verdict::kSpins && fails(edge.block)) {
          judgement.verdict = loops::Verdict::kFails;
        }
        exits.add({block, edge, judgement});
        if (judgement.verdict != loops::Verdict::kSpins) continue;
        // Calls that are not seen hardly write the flag they are to wait for, but an array that a loop goes over is
        // most likely what they work on.
        if (translation.calls_unknown() && sweeps(number, translation)) {
          exits.back().judgement.verdict = loops::Verdict::kWritten;
        } else if (!has_ended(block, edge.to)) {
          spin(number, exits.back(), translation, !waits.empty());
        }
      }
    }
    for (const Exit& exit : exits) {
      if (exit.judgement.verdict == loops::Verdict::kSpins) ended_.add({exit.block, exit.edge.to});
    }
    if (!waits.empty()) wait(loop, exits, waits, translation);
  }

  // Whether control ends in a failure from there on, whichever way it goes: nobody waits for that.
  bool fails(BlockId block, unsigned depth = 0) {
    constexpr unsigned kDeepest = 6;
    if (block == kOutside || depth == kDeepest) return false;
    const FlowBlock& at = flow_.blocks[block];
    if (at.returns || at.system) return false;
    if (at.edge_count == 0) return at.calls && at.callee != 0 && is_failure(at.callee);
    for (uint32_t k = 0; k < at.edge_count; ++k) {
      if (!fails(flow_.edges[at.first_edge + k].block, depth + 1)) return false;
    }
    return true;
  }

  bool has_ended(BlockId block, Address to) {
    for (const Departure& ended : ended_) {
      if (ended.block == block && ended.to == to) return true;
    }
    return false;
  }

  // Whether the condition that was judged last goes over memory in a loop of its own.
  bool sweeps(uint32_t number, Translation& translation) {
    bool found = false;
    translation.for_condition([&](Node node, const loops::Value& value) {
      found |= value.kind == Kind::kRead && cycles_.innermost(flow_.data(node).block) != number &&
               !is_same_blocks(cycles_.innermost(flow_.data(node).block), number);
    });
    return found;
  }
  // A header with one way round is found once, one with several more often: equal sets of blocks are one loop.
  bool is_same_blocks(uint32_t a, uint32_t b) { return cycles_.all[a].header == cycles_.all[b].header; }

  // --- spins

  WaitingLoop* new_loop(uint32_t kind, uint32_t blocks, Address at) {
    auto* loop = memory.create<WaitingLoop>();
    if (loop == nullptr) return nullptr;
    *loop = {kind, blocks, at, {}, nullptr, nullptr};
    return loop;
  }

  static void show(WaitingLoop& loop, Address address) {
    for (Address& shown : loop.shown) {
      if (shown == address) return;
      if (shown != 0) continue;
      shown = address;
      return;
    }
  }

  void spin(uint32_t number, const Exit& exit, Translation& translation, bool waits) {
    const uint32_t kind = WaitingLoop::kSpins | (waits ? WaitingLoop::kWaits : 0) |
                          (may_lock(cycles_.all[number]) ? WaitingLoop::kLocks : 0);
    WaitingLoop* loop = new_loop(kind, exit.judgement.blocks, flow_.blocks[exit.block].last);
    if (loop == nullptr) return;
    List<Node> parts;
    uint32_t part = 0;
    translation.for_condition([&](Node node, const loops::Value& value) {
      if (emit_part(node, value.kind, *loop, number, part, translation)) parts.add(node);
    });
    plan(PlanItem::What::kLeave, flow_.blocks[exit.block].last, loop, 0, exit.edge.to);
    loop->graph = picture_of(flow_, cycles_, cycles_.all[number], {exit.block, exit.edge.to}, translation);
    emit_copies(cycles_.all[number], exit, *loop, parts, translation, nullptr);
    add_loop(loop);
  }

  // Whether the loop calls anything that may take or give up a lock.
  bool may_lock(const Cycle& loop) {
    for (uint32_t i = 0; i < loop.count; ++i) {
      const BlockId block = cycles_.blocks[loop.first + i];
      if (!flow_.blocks[block].calls) continue;
      const CallKind kind = summary_of_call(code_, flow_, block).kind;
      if (kind != CallKind::kPure && kind != CallKind::kHarmless) return true;
    }
    return false;
  }

  bool emit_part(Node node, Kind kind, WaitingLoop& loop, uint32_t number, uint32_t& part, Translation& translation) {
    const NodeData data = flow_.data(node);
    switch (kind) {
      case Kind::kRead: {
        const uint32_t inner = cycles_.innermost(data.block);
        plan(PlanItem::What::kRead, data.ip, &loop, inner != number && !is_same_blocks(inner, number) ? 1 : 0);
        show_place(loop, data.operands[0]);
        return true;
      }
      case Kind::kTestAndSet: {
        const Node cas = data.kind == NodeKind::kLoad ? translation.atomic_of(node) : node;
        plan(PlanItem::What::kTestAndSet, data.ip, &loop);
        show_place(loop, flow_.data(cas).operands[0]);
        return true;
      }
      case Kind::kAccessor:
        loop.blocks += summary_of_call(code_, flow_, data.block).blocks;
        [[fallthrough]];
      case Kind::kUnresolved:
      case Kind::kTryLock:
        emit_evaluation(data.block, loop, ++part);
        return true;
      default:
        return false;
    }
  }

  void show_place(WaitingLoop& loop, Node address) {
    if (const PlaceInFlow at = flow_.place(address); at.base == kNoNode) show(loop, static_cast<Address>(at.offset));
  }

  void emit_evaluation(BlockId block, const WaitingLoop& loop, uint32_t part) {
    plan(PlanItem::What::kEvaluate, flow_.blocks[block].last, &loop, part);
    plan(PlanItem::What::kEvaluated, flow_.blocks[block].end, &loop, part);
  }

  // --- first tests before the loop

  // An exit by a branch before the loop, like `exit`. `wait`: of a loop around a wait.
  void emit_copies(const Cycle& loop, const Exit& exit, WaitingLoop& entry, const List<Node>& parts,
                   Translation& translation, const WaitCall* wait) {
    FirstTests tests(flow_, cycles_, loop, translation);
    tests.for_copies(exit.edge, parts, [&](BlockId block, const Edge& out, const List<Node>& same) {
      if (wait != nullptr) {
        plan(PlanItem::What::kWaitLeave, flow_.blocks[block].last, &entry, 0, out.to, recipe_of(flow_, *wait, block));
        return;
      }
      for (const Node node : same) {
        const NodeData data = flow_.data(node);
        if (data.kind == NodeKind::kResult) {
          emit_evaluation(data.block, entry, 1);
        } else if (data.kind == NodeKind::kCas || translation.atomic_of(node) != kNoNode) {
          plan(PlanItem::What::kTestAndSet, data.ip, &entry);
        } else {
          plan(PlanItem::What::kRead, data.ip, &entry);
        }
      }
      plan(PlanItem::What::kLeave, flow_.blocks[block].last, &entry, 0, out.to);
    });
  }

  // --- waits

  // The waits that this loop is for: in its own blocks, or in those of a loop inside that nothing but conditions
  // surround (listing 6.5). A loop that takes or gives up locks around an inner one does more than wait.
  void find_waits(const Cycle& loop, uint32_t number, List<WaitCall>& found) {
    bool locks = false;
    bool only_inside = true;
    for (uint32_t i = 0; i < loop.count; ++i) {
      const BlockId block = cycles_.blocks[loop.first + i];
      if (!flow_.blocks[block].calls) continue;
      const bool own = cycles_.innermost(block) == number;
      const Summary callee = summary_of_call(code_, flow_, block);
      if (own && !callee.waits) {
        locks |= callee.kind == CallKind::kLock || callee.kind == CallKind::kUnlock ||
                 callee.kind == CallKind::kTryLock || callee.kind == CallKind::kEffects;
      }
      if (!callee.waits) continue;
      only_inside &= !own;
      found.add({block, callee.condition});
    }
    if (only_inside && locks) found.clear();
  }

  void wait(const Cycle& cycle, const List<Exit>& exits, const List<WaitCall>& waits, Translation& translation) {
    // Without a condition in memory nobody says that the wait is over: each wait speaks for itself (figure 6.7).
    const Exit* first = nullptr;
    for (const Exit& exit : exits) {
      if (first == nullptr && is_left(exit)) first = &exit;
    }
    if (first == nullptr) return;
    WaitingLoop* loop = new_loop(WaitingLoop::kWaits, cycle.count, flow_.blocks[first->block].last);
    if (loop == nullptr) return;
    for (const WaitCall& call : waits) {
      if (waiting_.contains(call.block)) continue;
      waiting_.add(call.block);
      const bool alone = only_condition_follows(call.block, cycle, translation);
      plan(PlanItem::What::kWait, flow_.blocks[call.block].last, loop, alone ? 1 : 0);
      plan(PlanItem::What::kWaited, flow_.blocks[call.block].end, loop);
    }
    for (const Exit& exit : exits) {
      if (!is_left(exit)) continue;
      const Recipe* recipe = recipe_of(flow_, waits[0], exit.block);
      if (recipe != nullptr && recipe->register_offset < 0 && recipe->steps == 1) {
        show(*loop, static_cast<Address>(recipe->offsets[0]));
      }
      plan(PlanItem::What::kWaitLeave, flow_.blocks[exit.block].last, loop, 0, exit.edge.to, recipe);
      (void)translation.judge(exit.block, exit.edge.guard);
      List<Node> parts;
      translation.for_condition([&](Node node, const loops::Value& value) {
        if (value.kind == Kind::kRead || value.kind == Kind::kAccessor) parts.add(node);
      });
      emit_copies(cycle, exit, *loop, parts, translation, &waits[0]);
    }
    (void)translation.judge(first->block, first->edge.guard);
    loop->graph = picture_of(flow_, cycles_, cycle, {first->block, first->edge.to}, translation);
    add_loop(loop);
  }

  static bool is_left(const Exit& exit) {
    return exit.judgement.reads_memory && exit.judgement.verdict != loops::Verdict::kTimesOut &&
           exit.judgement.verdict != loops::Verdict::kFails;
  }

  // Whether the thread goes from the wait to the condition without doing anything on the way that others could see.
  bool only_condition_follows(BlockId wait_block, const Cycle& loop, Translation& translation) {
    List<BlockId> ahead;
    List<BlockId> met;
    const auto go_on = [&](BlockId block) {
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        const BlockId to = flow_.edges[flow_.blocks[block].first_edge + k].block;
        if (!translation.has_block(to) || to == loop.header || met.contains(to)) continue;
        met.add(to);
        ahead.add(to);
      }
    };
    go_on(wait_block);
    while (!ahead.empty()) {
      const BlockId block = ahead.back();
      ahead.drop_last();
      if (block == wait_block) continue;
      for (uint32_t k = 0; k < flow_.blocks[block].event_count; ++k) {
        const MemoryEvent event = flow_.events[flow_.blocks[block].first_event + k];
        if (event.what != MemoryEvent::What::kLoad && !flow_.is_frame(flow_.place(event.address))) return false;
      }
      if (flow_.blocks[block].calls) {
        const Summary callee = summary_of_call(code_, flow_, block);
        if (!callee.waits && (callee.kind == CallKind::kEffects || callee.kind == CallKind::kUnresolved)) return false;
      }
      go_on(block);
    }
    return true;
  }

  GuestCode& code_;
  Flow& flow_;
  Cycles cycles_;
  List<Departure> ended_;
  List<BlockId> waiting_;
};

}  // namespace

void find_waiting_loops(GuestCode& code, Flow& flow) { Search(code, flow).run(); }

}  // namespace norn::vg
