// frontier: goes back to where an earlier run was and few have gone on from, and goes on from there: "first return,
// then explore" (Ecoffet, Huizinga, Lehman, Stanley, Clune, Nature 590, 2021). A bug that needs many preemptions is not
// met by chance; but who comes halfway has only the other half before it.
//
// Where a run was is its state as StateMark has it (schedule/state_mark.h): each run of this strategy reports its
// states, and whoever starts the runs chooses one of them (experiment/search/known_states.h). The way back is the
// beginning of the schedule that came there. Behind it threads are held as window does (schedule/strategies/window.h),
// and now and then at other steps.
//
// Deviations: nothing is saved and restored, the beginning is executed again. The document gives a state the weight of
// how often it was chosen and seen; here a state in which threads are about to write what others have written since
// they looked at it comes earlier: fourfold for each of them.
#pragma once

#include "base/text.h"
#include "schedule/log.h"
#include "schedule/strategies/window.h"

namespace norn::schedule {

// The way back: "0.12-1.3-p1-0.2": thread 0 for twelve steps, thread 1 for three, a pick was answered with 1, …
class WayBack {
 public:
  WayBack() = default;
  explicit WayBack(Text way) : rest_(way) {}

  // The next decision: who goes on, or a pick's answer. False: that was all.
  bool next(bool& is_pick, uint32_t& number);

 private:
  bool take_number(uint32_t& number);

  Text rest_{};
  uint32_t thread_ = 0;
  uint32_t steps_ = 0;  // that are left of the thread's
};

class Frontier final : public Window {
 public:
  // `way` must outlive it.
  Frontier(uint64_t seed, Text way) : Window(seed, Habits::kFrontier), way_(way) {}

  uint32_t choose(const Enabled& enabled) override;
  uint32_t pick(uint32_t n) override;

 private:
  WayBack way_;
  bool is_back_ = false;
};

}  // namespace norn::schedule
