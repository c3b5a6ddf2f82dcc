// Who chooses the schedule. What is known of each kind: schedule/strategies.h.
#pragma once

#include <stdint.h>

namespace norn::schedule {

// The numbers are in replay tokens: a new one comes last.
enum class StrategyKind : uint32_t {
  kOff,
  kRandom,
  kRaceDirected,
  kPct,
  kPos,
  kRoundRobin,
  kReplay,
  kReadsFrom,
  kWindow,
  kSelected,
  kFrontier
};

}  // namespace norn::schedule
