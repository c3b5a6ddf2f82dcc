#include "tests/oracle/generator.h"

#include <algorithm>

#include "tests/oracle/dice.h"
#include "tests/oracle/discipline.h"
#include "tests/oracle/phrases.h"
#include "tests/oracle/world.h"

namespace norn::oracle {

using namespace model;

namespace {

struct Weighted {
  MoveKind kind;
  unsigned weight;
};

std::vector<Weighted> weights(const GeneratorOptions& o, Dice& dice) {
  auto some = [&](unsigned weight) { return dice.chance(60) ? weight : 0; };  // scripts differ in what they use
  std::vector<Weighted> all = {
      {MoveKind::kRead, 26},
      {MoveKind::kWrite, 26},
      {MoveKind::kLock, 20},
      {MoveKind::kUnlock, 28},
      {MoveKind::kFork, 8},
      {MoveKind::kExit, 2},
      {MoveKind::kJoin, 5},
      {MoveKind::kDetach, 1},
      {MoveKind::kBarrierLeave, 30},
      {MoveKind::kWaitLeave, 30},
      {MoveKind::kBarrierEnter, some(3)},
      {MoveKind::kPost, some(5)},
      {MoveKind::kSemaphoreWait, 6},
      {MoveKind::kOnceDone, some(3)},
      {MoveKind::kOnceSeen, some(4)},
      {MoveKind::kHappensBefore, some(4)},
      {MoveKind::kHappensAfter, some(5)},
      {MoveKind::kDestroyLock, some(1)},
      {MoveKind::kDestroySemaphore, some(1)},
  };
  auto add = [&](std::initializer_list<Weighted> more) { all.insert(all.end(), more); };
  if (dice.chance(60)) add({{MoveKind::kLoad, 10}, {MoveKind::kStore, 10}, {MoveKind::kRmw, 6}, {MoveKind::kFence, 6}});
  if (dice.chance(50)) add({{MoveKind::kAllocate, 5}, {MoveKind::kFree, 4}, {MoveKind::kReallocate, 2}});
  if (o.conditions && dice.chance(o.cv == ConditionMode::kOff ? 50 : 100))
    add({{MoveKind::kSignal, 8},
         {MoveKind::kBroadcast, 4},
         {MoveKind::kWaitEnter, 8},
         {MoveKind::kWaitLoopLeave, 6},
         {MoveKind::kDestroyCondition, 1}});
  if (o.spins)
    add({{MoveKind::kSpinRead, 12},
         {MoveKind::kSpinLeave, 14},
         {MoveKind::kCut, some(6)},
         {MoveKind::kRefused, some(6)}});
  if (o.annotations && dice.chance(25)) add({{MoveKind::kIgnoreBegin, 3}, {MoveKind::kIgnoreEnd, 5}});
  if (o.annotations && dice.chance(15)) add({{MoveKind::kBenign, 2}});
  return all;
}

void aim(Move& m, const World& world, Dice& dice) {
  auto pick = [&](size_t n) { return static_cast<uint8_t>(dice.below(n)); };
  switch (m.kind) {
    case MoveKind::kUnlock: {  // something this thread holds
      std::vector<uint8_t> held;
      for (size_t i = 0; i < world.locks().size(); ++i)
        if (world.locks()[i].holder == m.thread || world.locks()[i].sharers.contains(m.thread))
          held.push_back(static_cast<uint8_t>(i));
      if (!held.empty()) m.object = held[dice.below(held.size())];
      break;
    }
    case MoveKind::kLock:  // a few locks are popular, so that they are handed over
      m.object = pick(dice.chance(65) ? std::min<size_t>(2, world.locks().size()) : world.locks().size());
      break;
    case MoveKind::kRefused:
    case MoveKind::kDestroyLock:
      m.object = pick(world.locks().size());
      break;
    case MoveKind::kWaitEnter: {
      for (size_t i = 0; i < world.locks().size(); ++i)
        if (world.locks()[i].holder == m.thread)
          m.object = static_cast<uint8_t>(i * kConditions + dice.below(kConditions));
      break;
    }
    case MoveKind::kLoad:
    case MoveKind::kStore:
    case MoveKind::kRmw:
      m.object = pick(dice.chance(4) ? kAtomics + 1 : kAtomics);
      break;
    case MoveKind::kRead:
    case MoveKind::kWrite:
      m.object = pick(dice.chance(15) ? kData + kAtomics + kBlocks : kData);
      break;
    case MoveKind::kJoin:
    case MoveKind::kDetach:
      m.object = pick(world.threads().size());
      break;
    case MoveKind::kSemaphoreWait:
    case MoveKind::kPost:
    case MoveKind::kDestroySemaphore:
      m.object = pick(kSemaphores);
      break;
    case MoveKind::kHappensBefore:
    case MoveKind::kHappensAfter:
      m.object = pick(kArrows);
      break;
    case MoveKind::kBarrierEnter:
      m.object = static_cast<uint8_t>(world.incomplete_barrier().value_or(pick(kBarriers)));
      break;
    case MoveKind::kSpinRead:
      m.object = pick(kAtomics);
      m.offset = pick(2) == 0 ? 0 : pick(8);
      break;
    default:
      m.object = pick(4);
      break;
  }
}

}  // namespace

Plan make_plan(uint64_t seed, const GeneratorOptions& o) {
  Dice dice(seed);
  Plan plan;
  plan.threads = static_cast<uint8_t>(o.min_threads + dice.below(1u + o.max_threads - o.min_threads));
  plan.roots = dice.chance(50) ? 1 : static_cast<uint8_t>(1 + dice.below(plan.threads));
  plan.locks = static_cast<uint8_t>(1 + dice.below(std::min<size_t>(o.max_locks, kMaxLocks)));
  plan.cv = o.cv;
  plan.spin = o.spin;
  plan.lib = o.lib;
  uint64_t moves = 6 + dice.below(o.max_moves);

  World world(plan);
  Discipline discipline(dice, plan);
  std::vector<Weighted> all = weights(o, dice);
  unsigned total = 0;
  for (const Weighted& w : all) total += w.weight;
  auto pick_kind = [&] {
    uint64_t at = dice.below(total);
    for (const Weighted& w : all) {
      if (at < w.weight) return w.kind;
      at -= w.weight;
    }
    return MoveKind::kRead;
  };

  auto record = [&](const Move& m) {
    if (!world.apply(m)) return;
    plan.moves.push_back(m);
    if (m.kind == MoveKind::kFork) {
      for (size_t t = world.threads().size(); t-- > 0;)
        if (world.threads()[t].doing == Doing::kRunning && t != m.thread) {
          discipline.born(m.thread, static_cast<uint8_t>(t));
          break;
        }
    } else {
      discipline.follow(m);
    }
  };

  uint8_t current = 0;
  for (uint64_t i = 0; i < 4 * moves && plan.moves.size() < moves; ++i) {
    // A thread tends to go on for a while.
    if (dice.chance(35)) current = static_cast<uint8_t>(dice.below(plan.threads));
    if (o.publications && dice.chance(20)) {
      for (const Move& m : dice.chance(60) ? publication(dice, plan) : taking_out(dice, plan)) record(m);
      continue;
    }
    if (o.readers && dice.chance(20)) {
      for (const Move& m : common_reading(dice, plan)) record(m);
      continue;
    }
    if (dice.chance(6)) {
      for (const Move& m : phrase(dice, plan, o)) record(m);
      continue;
    }
    Move m;
    m.thread = current;
    m.kind = world.incomplete_barrier() && dice.chance(15) ? MoveKind::kBarrierEnter : pick_kind();
    m.offset = dice.byte();
    m.size = dice.byte();
    m.variant = dice.byte();
    aim(m, world, dice);
    bool plain = m.kind == MoveKind::kRead || m.kind == MoveKind::kWrite;
    if (plain && o.spins && dice.chance(30)) {  // the words that others spin on
      m.object = static_cast<uint8_t>(kData + dice.below(kAtomics));
      m.offset = dice.chance(70) ? 0 : static_cast<uint8_t>(dice.below(8));
      m.size = static_cast<uint8_t>(dice.below(4));
    } else if (plain && !discipline.direct(m, world)) {
      continue;
    }
    record(m);
  }
  return plan;
}

script::Script play(const Plan& plan) {
  World world(plan);
  world.begin();
  for (const Move& m : plan.moves) world.apply(m);
  return world.take_script();
}

std::vector<Plan> simpler(const Plan& plan) {
  std::vector<Plan> all;
  size_t n = plan.moves.size();
  for (size_t length = n; length >= 1; length /= 2) {
    for (size_t start = 0; start < n; start += length) {
      Plan fewer = plan;
      auto from = fewer.moves.begin() + static_cast<std::ptrdiff_t>(start);
      fewer.moves.erase(from, from + static_cast<std::ptrdiff_t>(std::min(length, n - start)));
      all.push_back(std::move(fewer));
    }
  }
  for (size_t i = 0; i < n; ++i) {
    auto with = [&](auto change) {
      Plan other = plan;
      change(other.moves[i]);
      all.push_back(std::move(other));
    };
    if (plan.moves[i].size != 0) with([](Move& m) { m.size = 0; });
    if (plan.moves[i].offset != 0) with([](Move& m) { m.offset = 0; });
  }
  return all;
}

}  // namespace norn::oracle
