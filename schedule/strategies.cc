#include "schedule/strategies.h"

namespace norn::schedule {

Strategy& AnyStrategy::make(const Plan& plan) {
  switch (plan.kind) {
    case StrategyKind::kRaceDirected:
      return put<RaceDirected>(plan.seed);
    case StrategyKind::kPct:
      return put<Pct>(plan.seed, plan.depth, plan.length);
    case StrategyKind::kPos:
      return put<Pos>(plan.seed);
    case StrategyKind::kRoundRobin:
      return put<RoundRobin>(plan.seed);
    case StrategyKind::kReplay:
      if (plan.log_count > 0 && plan.log[0].op == kSegment) return put<Segments>(plan.log, plan.log_count);
      return put<Replay>(plan.log, plan.log_count);
    case StrategyKind::kOff:
    case StrategyKind::kRandom:
      break;
  }
  return put<RandomWalk>(plan.seed);
}

}  // namespace norn::schedule
