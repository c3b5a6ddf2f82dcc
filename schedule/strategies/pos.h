// pos: Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling (CAV 2018). Each step has a random priority; the
// highest enabled one is executed, and the pending steps that conflict with it get new priorities. So each order of
// conflicting steps is about as likely as any other, however many steps that do not matter stand between them.
//
// Deviations: a step that yields draws the lower of two priorities, and a thread that is idle, which has long done
// nothing else, is chosen only if all are: so threads that wait in a loop do not keep those they wait for from running.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class Pos : public Strategy {
 public:
  explicit Pos(uint64_t seed) : Strategy(seed) {}

  uint32_t choose(const Enabled& enabled) override;
  void ended(uint32_t thread) override { priorities_[thread] = 0; }

 protected:
  // The one of the highest priority among those that may be chosen, of which there is one; what conflicts with it draws
  // anew.
  template <class MayBe>
  uint32_t highest_of(const Enabled& enabled, const MayBe& may_be);

 private:
  uint64_t draw(const Step& step);

  uint64_t priorities_[kMaxThreads] = {};  // of the thread's pending step; 0: to be drawn
};

template <class MayBe>
uint32_t Pos::highest_of(const Enabled& enabled, const MayBe& may_be) {
  uint32_t best = kNobody;
  bool all_idle = true;
  for (uint32_t i = 0; i < enabled.count; ++i) all_idle = all_idle && (enabled[i].idle || !may_be(enabled[i]));
  for (uint32_t i = 0; i < enabled.count; ++i) {
    uint64_t& priority = priorities_[enabled[i].thread];
    if (priority == 0) priority = draw(enabled[i]);
    if (!may_be(enabled[i]) || (enabled[i].idle && !all_idle)) continue;
    if (best == kNobody || priority > priorities_[enabled[best].thread]) best = i;
  }
  const Step& chosen = enabled[best];
  priorities_[chosen.thread] = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (conflict(chosen, enabled[i])) priorities_[enabled[i].thread] = 0;
  }
  return best;
}

}  // namespace norn::schedule
