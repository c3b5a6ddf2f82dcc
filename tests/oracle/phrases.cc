#include "tests/oracle/phrases.h"

#include <algorithm>
#include <array>

#include "tests/oracle/world.h"

namespace norn::oracle::model {

std::vector<Move> phrase(Dice& dice, const Plan& plan, const GeneratorOptions& o) {
  auto first = static_cast<uint8_t>(dice.below(plan.threads));
  auto second = static_cast<uint8_t>((first + 1 + dice.below(plan.threads - 1u)) % plan.threads);
  auto object = static_cast<uint8_t>(dice.below(2));
  auto lock = static_cast<uint8_t>(dice.below(std::min<size_t>(2, plan.locks)));
  // Bytes that are used by phrases only, most of the time.
  auto place = static_cast<uint8_t>(dice.below(kData));
  auto offset = static_cast<uint8_t>((dice.chance(90) ? 16 : 0) + dice.below(4));
  auto size = static_cast<uint8_t>(dice.below(4));
  auto variant = dice.byte();
  auto access = [&](uint8_t thread) {
    return Move{dice.chance(70) ? MoveKind::kWrite : MoveKind::kRead, thread, place, offset, size, 0};
  };
  auto move = [&](MoveKind kind, uint8_t thread, uint8_t what, uint8_t how) {
    return Move{kind, thread, what, 0, 0, how};
  };
  // With cv=wr: one of two flags is written before a signal, one of them is read before a wait loop is left.
  auto flag = [&](MoveKind kind, uint8_t thread) {
    return Move{kind, thread, static_cast<uint8_t>(kData - 1), static_cast<uint8_t>(20 + dice.below(2)), 0, 0};
  };
  if (o.conditions && o.cv != ConditionMode::kOff && dice.chance(50)) {
    std::vector<Move> moves = {access(first), move(MoveKind::kLock, first, lock, 1), flag(MoveKind::kWrite, first)};
    moves.push_back(move(MoveKind::kSignal, first, object, 0));
    moves.push_back(move(MoveKind::kUnlock, first, lock, 1));
    if (dice.chance(30)) return moves;
    if (dice.chance(30)) {  // another one signals too, or the condition variable becomes another one
      auto third = static_cast<uint8_t>(dice.below(plan.threads));
      moves.push_back(move(MoveKind::kLock, third, lock, 1));
      moves.push_back(flag(MoveKind::kWrite, third));
      moves.push_back(move(dice.chance(70) ? MoveKind::kSignal : MoveKind::kDestroyCondition, third, object, 0));
      moves.push_back(move(MoveKind::kUnlock, third, lock, 1));
    }
    moves.push_back(move(MoveKind::kLock, second, lock, 1));
    moves.push_back(flag(MoveKind::kRead, second));
    moves.push_back(move(MoveKind::kWaitLoopLeave, second, object, 0));
    moves.push_back(move(MoveKind::kUnlock, second, lock, 1));
    moves.push_back(access(second));
    return moves;
  }
  // The objects in block h1, which come and go with it.
  if (dice.chance(20)) {
    bool semaphore = dice.chance(50) || plan.locks <= 3;
    auto inner = static_cast<uint8_t>(semaphore ? kSemaphores - 1 : plan.locks - 1u);
    auto take = semaphore ? MoveKind::kSemaphoreWait : MoveKind::kLock;
    auto give = semaphore ? MoveKind::kPost : MoveKind::kUnlock;
    auto use = [&](uint8_t thread) -> std::vector<Move> {
      if (semaphore) return {access(thread), move(give, thread, inner, 1)};
      return {move(take, thread, inner, 1), access(thread), move(give, thread, inner, 1)};
    };
    std::vector<Move> moves = {move(MoveKind::kAllocate, first, 1, 0)};
    auto add = [&](const std::vector<Move>& more) { moves.insert(moves.end(), more.begin(), more.end()); };
    add(use(first));
    if (dice.chance(60)) add({move(MoveKind::kFree, dice.chance(50) ? first : second, 1, 0)});
    if (dice.chance(50))  // a hand-over beside them
      add({move(MoveKind::kLock, first, lock, 1), move(MoveKind::kUnlock, first, lock, 1),
           move(MoveKind::kLock, second, lock, 1), move(MoveKind::kUnlock, second, lock, 1)});
    add({move(MoveKind::kAllocate, second, 1, 0)});
    if (semaphore) add({move(give, second, inner, 1), move(take, second, inner, 1)});
    add(use(second));
    return moves;
  }
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2:  // only the lock's hand-over is between them
      return {access(first),
              move(MoveKind::kLock, first, lock, variant),
              move(MoveKind::kUnlock, first, lock, 1),
              move(MoveKind::kLock, second, lock, 1),
              move(MoveKind::kUnlock, second, lock, 1),
              access(second)};
    case 3:  // inside, with a lock in common or not
      return {move(MoveKind::kLock, first, lock, variant),  access(first),  move(MoveKind::kUnlock, first, lock, 1),
              move(MoveKind::kLock, second, lock, variant), access(second), move(MoveKind::kUnlock, second, lock, 1)};
    case 4:  // one inside, one outside
      return {move(MoveKind::kLock, first, lock, variant), access(first),
              move(MoveKind::kUnlock, first, lock, 1),     move(MoveKind::kLock, second, lock, variant),
              move(MoveKind::kUnlock, second, lock, 1),    access(second)};
    case 5:
      return {access(first), move(MoveKind::kPost, first, object, 0), move(MoveKind::kSemaphoreWait, second, object, 0),
              access(second)};
    case 6:
      return {access(first), move(MoveKind::kStore, first, object, variant),
              move(MoveKind::kLoad, second, object, variant), access(second)};
    default:
      return {access(first), move(MoveKind::kHappensBefore, first, object, 0),
              move(MoveKind::kHappensAfter, second, object, 0), access(second)};
  }
}

std::vector<Move> common_reading(Dice& dice, const Plan& plan) {
  const auto region = static_cast<uint8_t>(dice.below(dice.chance(70)   ? 1
                                                      : dice.chance(50) ? kData
                                                                        : kData + kAtomics + kBlocks));
  const auto offset = static_cast<uint8_t>(dice.chance(70) ? 0 : dice.below(12));
  const auto size = static_cast<uint8_t>(dice.chance(60) ? 7 : dice.below(8));
  std::vector<Move> moves;
  for (uint8_t thread = 0; thread < plan.threads; ++thread) {
    if (dice.chance(15)) continue;
    if (dice.chance(40)) moves.push_back({MoveKind::kHappensBefore, thread, dice.byte(), 0, 0, 0});
    const bool differs = dice.chance(15);
    moves.push_back({MoveKind::kRead, thread, region, static_cast<uint8_t>(differs ? offset + dice.below(8) : offset),
                     static_cast<uint8_t>(differs ? dice.below(8) : size), dice.byte()});
  }
  const auto writer = static_cast<uint8_t>(dice.below(plan.threads));
  for (uint8_t thread = 0; thread < plan.threads; ++thread) {
    if (dice.chance(70)) moves.push_back({MoveKind::kHappensBefore, thread, 0, 0, 0, 0});
  }
  if (dice.chance(70)) moves.push_back({MoveKind::kHappensAfter, writer, 0, 0, 0, 0});
  if (dice.chance(50)) moves.push_back({MoveKind::kWrite, writer, region, offset, size, dice.byte()});
  return moves;
}

std::vector<Move> publication(Dice& dice, const Plan& plan) {
  auto first = static_cast<uint8_t>(dice.below(plan.threads));
  auto second = static_cast<uint8_t>((first + 1 + dice.below(plan.threads - 1u)) % plan.threads);
  auto lock = static_cast<uint8_t>(dice.below(std::min<size_t>(2, plan.locks)));
  auto block = static_cast<uint8_t>(dice.below(kBlocks));
  std::vector<Move> moves;
  auto add = [&](MoveKind kind, uint8_t thread, uint8_t what) {
    moves.push_back({kind, thread, what, 0, dice.byte(), dice.byte()});
  };
  auto access = [&](uint8_t thread) {
    moves.push_back({dice.chance(70) ? MoveKind::kWrite : MoveKind::kRead, thread,
                     static_cast<uint8_t>(kData + kAtomics + block), static_cast<uint8_t>(dice.below(12)),
                     static_cast<uint8_t>(dice.below(8)), 0});
  };
  auto maybe = [&](unsigned percent) {
    if (!dice.chance(percent)) return;
    constexpr std::array kBetween = {MoveKind::kStore,      MoveKind::kRmw,  MoveKind::kLoad, MoveKind::kCut,
                                     MoveKind::kReallocate, MoveKind::kFree, MoveKind::kLock, MoveKind::kUnlock,
                                     MoveKind::kPost,       MoveKind::kFork};
    const MoveKind kind = kBetween[dice.below(kBetween.size())];
    const bool heap = kind == MoveKind::kReallocate || kind == MoveKind::kFree;
    add(kind, dice.chance(80) ? first : second, heap ? block : lock);
  };
  if (dice.chance(70)) add(MoveKind::kFree, dice.chance(50) ? first : second, block);
  maybe(20);
  add(dice.chance(85) ? MoveKind::kAllocate : MoveKind::kReallocate, first,
      dice.chance(85) ? block : static_cast<uint8_t>(1 - block));
  maybe(40);
  access(first);
  maybe(40);
  if (dice.chance(40)) access(first);
  add(MoveKind::kLock, first, lock);
  if (dice.chance(30)) access(first);
  add(MoveKind::kUnlock, first, lock);
  if (dice.chance(20)) access(first);
  maybe(20);
  add(MoveKind::kLock, second, lock);
  if (dice.chance(20)) access(second);
  add(MoveKind::kUnlock, second, lock);
  access(second);
  if (dice.chance(20)) add(MoveKind::kFree, second, block);
  return moves;
}

std::vector<Move> taking_out(Dice& dice, const Plan& plan) {
  auto first = static_cast<uint8_t>(dice.below(plan.threads));
  auto second = static_cast<uint8_t>((first + 1 + dice.below(plan.threads - 1u)) % plan.threads);
  auto lock = static_cast<uint8_t>(dice.below(std::min<size_t>(2, plan.locks)));
  auto block = static_cast<uint8_t>(dice.below(kBlocks));
  auto place = static_cast<uint8_t>(dice.below(2));
  std::vector<Move> moves;
  auto add = [&](MoveKind kind, uint8_t thread, uint8_t what) { moves.push_back({kind, thread, what, 0, 0, 1}); };
  auto look = [&](MoveKind kind, uint8_t thread) {
    moves.push_back({kind, thread, place, 8, static_cast<uint8_t>(dice.chance(85) ? 7 : dice.below(8)), 0});
  };
  auto use = [&](uint8_t thread) {
    moves.push_back({dice.chance(70) ? MoveKind::kWrite : MoveKind::kRead, thread,
                     static_cast<uint8_t>(kData + kAtomics + block), static_cast<uint8_t>(dice.below(12)),
                     static_cast<uint8_t>(dice.below(8)), 0});
  };
  if (dice.chance(60)) add(MoveKind::kAllocate, dice.chance(50) ? first : second, block);
  for (unsigned rounds = 1 + static_cast<unsigned>(dice.below(2)); rounds > 0; --rounds) {
    if (dice.chance(30)) use(first);
    add(MoveKind::kLock, first, lock);
    if (dice.chance(80)) look(MoveKind::kRead, first);
    if (dice.chance(80)) use(first);
    if (dice.chance(20)) add(MoveKind::kPost, first, 0);
    add(MoveKind::kUnlock, first, lock);
    first = dice.chance(30) ? static_cast<uint8_t>(dice.below(plan.threads)) : first;
  }
  add(MoveKind::kLock, second, lock);
  if (dice.chance(85)) look(MoveKind::kRead, second);
  look(MoveKind::kWrite, second);
  add(MoveKind::kUnlock, second, lock);
  use(second);
  if (dice.chance(40)) add(MoveKind::kFree, second, block);
  return moves;
}

}  // namespace norn::oracle::model
