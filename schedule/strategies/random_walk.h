// random: at each step any enabled thread, all equally likely. The yardstick for the others.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(uint64_t seed) : Strategy(seed) {}
};

}  // namespace norn::schedule
