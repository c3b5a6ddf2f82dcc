// The strategies: one row each. The option `schedule`, `norn confirm --strategy` and replay tokens know them by it.
#pragma once

#include <stddef.h>

#include <new>

#include "base/joined.h"
#include "schedule/strategies/frontier.h"
#include "schedule/strategies/pct.h"
#include "schedule/strategies/pos.h"
#include "schedule/strategies/race_directed.h"
#include "schedule/strategies/random_walk.h"
#include "schedule/strategies/reads_from.h"
#include "schedule/strategies/replay_strategy.h"
#include "schedule/strategies/round_robin.h"
#include "schedule/strategies/selected.h"
#include "schedule/strategies/window.h"
#include "schedule/strategy_kind.h"
#include "schedule/switches.h"

namespace norn::schedule {

// What a strategy needs to know besides the program.
struct Plan {
  StrategyKind kind = StrategyKind::kRandom;
  uint64_t seed = 0;
  uint32_t depth = 3;                       // pct
  uint64_t length = 1000;                   // pct: steps of a run, about
  const Constraint* constraints = nullptr;  // reads-from
  uint32_t constraint_count = 0;
  Text way{};                     // frontier: the way back
  const LogEntry* log = nullptr;  // replay
  uint64_t log_count = 0;
};

// One strategy, made in place: there is no heap here.
class AnyStrategy {
 public:
  Strategy& make(const Plan& plan);

  template <class Kind, class... Arguments>
  Strategy& put(Arguments... arguments) {
    static_assert(sizeof(Kind) <= kBytes);
    return *::new (bytes_) Kind(arguments...);
  }
  template <class Kind>
  static Strategy& put_seeded(AnyStrategy& memory, const Plan& plan) {
    return memory.put<Kind>(plan.seed);
  }

 private:
  static constexpr size_t kBytes = sizeof(Frontier);  // the largest
  alignas(16) unsigned char bytes_[kBytes] = {};
};

// What whoever searches with it gives it of the runs before (experiment/confirmation.cc).
enum class GuidedBy : uint8_t {
  kNothing,
  kLength,  // how many steps a run has
  kPairs,   // constraints: which access is to read from which write
  kStates,  // the way to a state from which few have gone on
};

struct StrategyRow {
  StrategyKind kind;
  Text name;
  bool searches;  // each seed is another schedule: `norn confirm` may try it
  Strategy& (*make)(AnyStrategy& memory, const Plan& plan);
  GuidedBy guided_by = GuidedBy::kNothing;
};
inline constexpr StrategyRow kStrategies[] = {
    {StrategyKind::kOff, "off", false, nullptr},
    {StrategyKind::kRandom, "random", true, &AnyStrategy::put_seeded<RandomWalk>},
    {StrategyKind::kRaceDirected, "race-directed", true, &AnyStrategy::put_seeded<RaceDirected>},
    {StrategyKind::kPct, "pct", true,
     [](AnyStrategy& memory, const Plan& plan) -> Strategy& {
       return memory.put<Pct>(plan.seed, plan.depth, plan.length);
     },
     GuidedBy::kLength},
    {StrategyKind::kPos, "pos", true, &AnyStrategy::put_seeded<Pos>},
    {StrategyKind::kRoundRobin, "rr", true, &AnyStrategy::put_seeded<RoundRobin>},
    {StrategyKind::kReplay, "replay", false,
     [](AnyStrategy& memory, const Plan& plan) -> Strategy& {
       if (plan.log_count > 0 && plan.log[0].op == kSegment) return memory.put<Segments>(plan.log, plan.log_count);
       return memory.put<Replay>(plan.log, plan.log_count);
     }},
    {StrategyKind::kReadsFrom, "reads-from", true,
     [](AnyStrategy& memory, const Plan& plan) -> Strategy& {
       return memory.put<ReadsFrom>(plan.seed, plan.constraints, plan.constraint_count);
     },
     GuidedBy::kPairs},
    {StrategyKind::kWindow, "window", true, &AnyStrategy::put_seeded<Window>},
    {StrategyKind::kSelected, "selected", true, &AnyStrategy::put_seeded<Selected>},
    {StrategyKind::kFrontier, "frontier", true,
     [](AnyStrategy& memory, const Plan& plan) -> Strategy& { return memory.put<Frontier>(plan.seed, plan.way); },
     GuidedBy::kStates},
};
static_assert(in_order(kStrategies));
[[nodiscard]] constexpr GuidedBy guided_by(StrategyKind kind) {
  return kStrategies[static_cast<size_t>(kind)].guided_by;
}

inline constexpr Text kStrategyNames = Joined<kStrategies>::kText;
// Of those that search.
inline constexpr Text kSearchNames = Joined<kStrategies, [](const StrategyRow& row) { return row.searches; }>::kText;

}  // namespace norn::schedule
