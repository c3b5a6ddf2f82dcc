// Runs events through an engine of core/. The tests know the engines by this interface only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/event.h"

namespace norn::script {

struct EngineOptions {
  EngineKind engine = EngineKind::kHybrid;
  ConditionMode cv = ConditionMode::kOff;
  bool spin = true;
  bool handover = true;
  bool lib = true;
  // Two ways to make life hard for the engine, without changing what it should say:
  uint32_t time_limit = ~uint32_t{0};  // threads run out of time and move to other slots
  unsigned collect_every = 0;          // a collection before every n-th event
  bool conditions = true;              // off: condition variables come as a surprise (Options::conditions)
};

struct FoundPair {
  Address address = 0;  // the bytes the two accesses share
  uint32_t size = 0;
  Standing standing{};  // kObserved for the state machines
  Where a = kNowhere;
  Where b = kNowhere;
  ThreadId thread_a = kNoThread;
  ThreadId thread_b = kNoThread;
};

struct RunResult {
  std::vector<FoundPair> pairs;       // every racing pair told
  std::map<Address, Standing> bytes;  // the strongest standing told of each byte
};

// The name of the state a state machine has a byte in: New, Excl-R, Excl-W, Excl-RW, Sh-R, Sh-M, Sh-M1, Sh-M2, Race.
// Empty for engines that are not state machines.
using StateOf = std::function<std::string(Address)>;

// Called before the first event (with 0) and after each (with how many there have been).
using AfterEvent = std::function<void(size_t done, const StateOf& state_of)>;

[[nodiscard]] RunResult run_events(std::span<const Event> events, const EngineOptions& options,
                                   const AfterEvent& after = {});

}  // namespace norn::script
