#include "schedule/strategies/pos.h"

namespace norn::schedule {

uint64_t Pos::draw(const Step& step) {
  const uint64_t priority = random_.next() | 1;
  if (step.op != Op::kYield) return priority;
  const uint64_t other = random_.next() | 1;
  return other < priority ? other : priority;
}

uint32_t Pos::choose(const Enabled& enabled) {
  return highest_of(enabled, [](const Step& /*step*/) { return true; });
}

}  // namespace norn::schedule
