#include "schedule/strategies.h"

namespace norn::schedule {

Strategy& AnyStrategy::make(const Plan& plan) {
  const StrategyRow& row = kStrategies[static_cast<size_t>(plan.kind)];
  return row.make != nullptr ? row.make(*this, plan) : put<RandomWalk>(plan.seed);
}

}  // namespace norn::schedule
