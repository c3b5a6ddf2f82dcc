// The strategies by name.
#pragma once

#include <stddef.h>

#include <new>

#include "schedule/pct.h"
#include "schedule/pos.h"
#include "schedule/race_directed.h"
#include "schedule/random_walk.h"
#include "schedule/replay_strategy.h"
#include "schedule/round_robin.h"
#include "schedule/switches.h"

namespace norn::schedule {

// In the order of the option `schedule` (options/options.h).
enum class StrategyKind : uint32_t { kOff, kRandom, kRaceDirected, kPct, kPos, kRoundRobin, kReplay };

// What a strategy needs to know besides the program.
struct Plan {
  StrategyKind kind = StrategyKind::kRandom;
  uint64_t seed = 0;
  uint32_t depth = 3;             // pct
  uint64_t length = 1000;         // pct: steps of a run, about
  const LogEntry* log = nullptr;  // replay
  uint64_t log_count = 0;
};

// One strategy, made in place: there is no heap here.
class AnyStrategy {
 public:
  Strategy& make(const Plan& plan);

 private:
  template <class Kind, class... Arguments>
  Strategy& put(Arguments... arguments) {
    static_assert(sizeof(Kind) <= kBytes);
    return *::new (bytes_) Kind(arguments...);
  }

  static constexpr size_t kBytes = sizeof(Pct) + 64;
  alignas(16) unsigned char bytes_[kBytes] = {};
};

}  // namespace norn::schedule
