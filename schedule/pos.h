// pos: Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling (CAV 2018). Each step has a random priority; the
// highest enabled one is executed, and the pending steps that conflict with it get new priorities. So each order of
// conflicting steps is about as likely as any other, however many steps that do not matter stand between them.
//
// Deviation: a step that yields draws the lower of two priorities, so that a thread that waits in a loop does not keep
// those it waits for from running.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class Pos final : public Strategy {
 public:
  explicit Pos(uint64_t seed) : Strategy(seed) {}

  uint32_t choose(const Enabled& enabled) override;
  void ended(uint32_t thread) override { priorities_[thread] = 0; }

 private:
  uint64_t draw(const Step& step);

  uint64_t priorities_[kMaxThreads] = {};  // of the thread's pending step; 0: to be drawn
};

}  // namespace norn::schedule
