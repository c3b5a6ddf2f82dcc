#include "schedule/pos.h"

namespace norn::schedule {

uint64_t Pos::draw(const Step& step) {
  const uint64_t priority = random_.next() | 1;
  if (step.op != Op::kYield) return priority;
  const uint64_t other = random_.next() | 1;
  return other < priority ? other : priority;
}

uint32_t Pos::choose(const Enabled& enabled) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    uint64_t& priority = priorities_[enabled[i].thread];
    if (priority == 0) priority = draw(enabled[i]);
    if (priority > priorities_[enabled[best].thread]) best = i;
  }
  const Step& chosen = enabled[best];
  priorities_[chosen.thread] = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (conflict(chosen, enabled[i])) priorities_[enabled[i].thread] = 0;
  }
  return best;
}

}  // namespace norn::schedule
