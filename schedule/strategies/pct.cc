#include "schedule/strategies/pct.h"

namespace norn::schedule {

Pct::Pct(uint64_t seed, uint32_t depth, uint64_t length)
    : Strategy(seed),
      changes_((depth < 1           ? 1
                : depth > kMaxDepth ? kMaxDepth
                                    : depth) -
               1) {
  for (uint32_t i = 0; i < changes_; ++i) change_points_[i] = 1 + random_.next() % (length == 0 ? 1 : length);
}

uint32_t Pct::choose(const Enabled& enabled) {
  ++steps_;
  for (uint32_t i = 0; i < changes_; ++i) {
    if (change_points_[i] == steps_ && enabled.running < kMaxThreads) priorities_[enabled.running] = fall();
  }
  uint32_t best = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    uint64_t& priority = priorities_[enabled[i].thread];
    if (priority == 0) priority = kHigh | random_.next();
    if (priority > priorities_[enabled[best].thread]) best = i;
  }
  return best;
}

}  // namespace norn::schedule
