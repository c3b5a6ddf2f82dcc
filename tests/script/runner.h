// Runs events through an engine of core/. The tests know the engines by this interface only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/engine/engines.h"
#include "core/event.h"

namespace norn::script {

// The doors of the detector through which a plain read or write may come. What a door does not take goes on through
// the next, as front ends do it. The verdicts are the same.
enum class Door : uint8_t {
  kSingle,   // Detector::access()
  kRange,    // access_range(), as of memory functions
  kStrided,  // access_row(), as of hoisted loops: whole granules, one by one, and the rest by itself
  kAtOnce,   // the same, all granules in one call
  kInPlace,  // as the hooks: the inline check, access_plainly(), access_again(), access_within()
};
inline constexpr Door kDoors[] = {Door::kSingle, Door::kRange, Door::kStrided, Door::kAtOnce, Door::kInPlace};
[[nodiscard]] constexpr const char* name_of(Door door) {
  constexpr const char* kNames[] = {"single", "range", "strided", "at once", "in place"};
  return kNames[static_cast<unsigned>(door)];
}

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
  unsigned superseded_cap = ~0u;       // Options::superseded_cap
  Door door = Door::kSingle;           // of plain reads and writes; not for the state machines
};

struct FoundPair {
  Address address = 0;  // the bytes the two accesses share
  uint32_t size = 0;
  Standing standing{};  // kObserved for the state machines
  StackId a = kNoStack;
  StackId b = kNoStack;
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
