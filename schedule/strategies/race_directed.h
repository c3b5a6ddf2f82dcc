// race-directed: RaceFuzzer (Sen: Race Directed Random Testing of Concurrent Programs, PLDI 2008, algorithms 1 and 2).
//
// A random walk, but a thread that is about to execute a statement of the candidate is postponed, until another one is
// about to execute the other statement on the same bytes. Then the race is real: it is resolved by a coin, and the
// loser stays postponed. When all enabled threads are postponed, a random one is let go.
//
// Deviations:
// - In half of the runs the walk is not even: each thread has a priority that is drawn anew every now and then, so that
//   one goes far before another begins. Some races meet only there.
// - A meeting needs one thread at each statement of the pair. The document counts any two of its set, which also
//   confirms (a, a) when (a, b) was asked for.
// - The loser of a coin stays postponed, as in the document, so that the winner goes far; or it walks on at random; or
//   the winner stops behind its statement and the loser goes far. Each in a third of the cases: some races do harm only
//   if all that the loser does comes right behind the winner's statement, a pointer that was read and is freed then.
// - Who was let go and comes back to its statement is let go again, for as many times as were drawn: it goes through an
//   array, and meets the other one at one of its elements. All orders of magnitude are equally likely.
// - Before a postponed thread is let go, whatever else can happen does: time passes, so that sleepers wake.
// - The document's monitor lets go by the clock what waits too long; here one is let go when the others only wait for
//   it, which the runtime tells by counting (Step::idle), so that a seed is enough to replay it.
//
// With the acquisitions of a lock-order inversion as its sites it drives threads into the deadlock: each is postponed
// at its inner lock, holding its outer one.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class RaceDirected final : public Strategy {
 public:
  explicit RaceDirected(uint64_t seed) : Strategy(seed), even_(random_.coin()) {}

  uint32_t choose(const Enabled& enabled) override;
  void let_go(const Enabled& enabled) override;
  void yielded(uint32_t /*thread*/) override { all_draw_ = true; }
  void ended(uint32_t thread) override { states_[thread] = State::kFree, priorities_[thread] = 0; }

 private:
  enum class State : uint8_t {
    kFree,
    kPostponed,
    kReleased,  // its step is to be executed at once, though it is one of the candidate's
    kStays,     // the same, and the one behind is postponed
    kPassed,    // it is to be executed, but not at once
  };
  struct Resolution;

  [[nodiscard]] bool is_postponed(uint32_t thread) const { return states_[thread] == State::kPostponed; }
  bool resolve(const Enabled& enabled, const Step& step);
  uint32_t execute(const Enabled& enabled, uint32_t index);
  uint32_t walk(const Enabled& enabled, uint32_t candidates);

  State states_[kMaxThreads] = {};
  bool even_;
  uint32_t priorities_[kMaxThreads] = {};  // 0: to be drawn
  // Somebody waits for another one. If it alone drew anew, it would go on until it has drawn less than the other has,
  // who would then have to draw still less: two that wait for each other in turn would take ever longer.
  bool all_draw_ = false;
  static constexpr uint32_t kConstancy = 32;  // so many steps, in the mean, with one priority
  uint32_t let_go_ = kNobody;                 // the last one that was
  uint32_t again_ = 0;                        // so many times more
  static constexpr uint32_t kMagnitudes = 15;
};

}  // namespace norn::schedule
