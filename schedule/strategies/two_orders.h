// What a race does is seen by running both orders of its two accesses, from one and the same state (Kasikci, Zamfir and
// Candea: Portend, ASPLOS 2012, algorithm 2: "execUntilFirstThreadRacyAccess", then the alternate is enforced).
//
// Any strategy, up to a meeting of the candidate's two statements; from there on not that strategy any more: one of the
// two threads performs its access, then the other one, and then a later schedule that is the same for both orders.
// What the strategy would have done is the given order, the flipped one is the alternate. A seed gives the same threads
// at the same place, so nothing needs to be saved and restored: the prefix is executed again.
//
// The given order has a second form, since where both stand the second thread may have read already what the first one
// is about to change (two lost updates are lost in either order). Whoever stood there first performs its access when it
// comes there, at the decision `from` (the first is 1), and stops behind it; the others go on as the strategy would
// have them if it still stood before it, until the second one stands at its statement. So it differs from the flipped
// order in nothing but when the one access is performed.
//
// Deviations:
// - The document takes the first access of a recorded execution, and preempts there; here the two threads stand before
//   their accesses in a schedule that was searched for. That both can stand there at once is what makes both orders
//   possible. Where they cannot (a loop, a lock or a condition keeps one away), they never meet.
// - A loop that waits for the other's write meets it, too, but reads in vain and comes back. `holds` finds out: the
//   other one stays before its access for as long as anybody else can do anything. If the first one has come back to
//   its statement again and again, and done nothing else, it waits for the other: that order does not lead on.
// - In the later schedule the racing statements are switch points like all others, but only the random ones use them.
#pragma once

#include "base/hash.h"
#include "schedule/order.h"
#include "schedule/strategy.h"

namespace norn::schedule {

class TwoOrders final : public Strategy {
 public:
  // Whether the thread has just been let go to perform its access, and is to stop again at whatever it accesses next:
  // nothing goes with the one access. It stands above the bits of Enforced::what, for whoever decides what a point is.
  [[nodiscard]] static bool stops_next(const Enforced& enforced, uint32_t thread) {
    return enforced.what >> kStopsShift == thread + 1;
  }

  TwoOrders(Strategy& before, Order order, uint64_t seed, Enforced& enforced)
      : Strategy(seed ^ hash_word(order.later)), before_(before), order_(order), enforced_(enforced) {}

  uint32_t choose(const Enabled& enabled) override;
  void let_go(const Enabled& enabled) override;
  uint32_t pick(uint32_t n) override;
  void yielded(uint32_t thread) override;
  void ended(uint32_t thread) override;

 private:
  enum class Stage : uint8_t { kBefore, kEarly, kSecond, kHolding, kLater };
  static constexpr uint32_t kInVain = 3;  // so many looks show that it waits
  static constexpr uint32_t kConstancy = 4;
  static constexpr unsigned kStopsShift = 16;
  static_assert(kMaxThreads < 1u << (32 - kStopsShift));

  void stop_next(uint32_t thread) {
    constexpr uint32_t kBits = (1u << kStopsShift) - 1;
    enforced_.what = (enforced_.what & kBits) | (thread + 1) << kStopsShift;
  }
  void stop_nobody() { stop_next(~uint32_t{0}); }

  uint32_t choose_now(const Enabled& enabled);
  uint32_t go_early(const Enabled& enabled);
  uint32_t follow_before(const Enabled& enabled);
  uint32_t meet_here(const Enabled& enabled, uint32_t given, uint32_t other);
  void draw_later(uint32_t given, uint32_t other);
  uint32_t follow_later(const Enabled& enabled, uint32_t without);
  void watch_first(const Step& step);
  void go_behind(uint32_t thread) { ranks_[thread] = ++last_rank_; }

  Strategy& before_;
  Order order_;
  Enforced& enforced_;
  Stage stage_ = Stage::kBefore;
  uint32_t meetings_ = 0;
  uint32_t decisions_ = 0;
  uint32_t chosen_at_[kMaxThreads] = {};  // the decision behind the last one that let the thread go
  Step as_if_[kMaxThreads];               // what the strategy is shown
  Step first_;                            // as they stood
  Step second_;
  uint32_t in_vain_ = 0;
  uint64_t ranks_[kMaxThreads] = {};  // of the later schedule: the lowest goes on
  uint64_t last_rank_ = kMaxThreads;
};

}  // namespace norn::schedule
