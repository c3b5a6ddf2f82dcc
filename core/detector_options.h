// How a detector is to work; given to Detector::init().
#pragma once

#include "core/engine/engines.h"
#include "core/event.h"

namespace norn {

struct Options {
  EngineKind engine = EngineKind::kHybrid;
  ConditionMode condition = ConditionMode::kOff;
  bool conditions = true;  // the program may use condition variables; off: until expect_conditions()
  bool spin = true;        // honour spin-reads; off: they are plain reads
  bool handover = true;    // who reads under a lock what was written under it is ordered after that (hybrid)
  bool library = true;     // off: of all synchronization only fork, join and spins count
  bool sampled = false;    // not every access is emitted; Detector::observe_only() sets it
  ClockValue time_limit = ~ClockValue{0};  // a thread moves to another slot before its time reaches it; for tests
  unsigned log2_histories = 17;            // units of 16 bytes of histories that are made between collections, at least
  size_t memory_limit = 0;                 // bytes of history, about; 0: as much as the shadow takes
  unsigned history_cap = 160;              // shadow words a location remembers at most; then old ones go
  // Of accesses that a later one has superseded (docs/design/history.md), which only predictions need: so many a
  // location remembers.
  unsigned superseded_cap = ~0u;
  // Where the embedding reserved zeroed memory, Shadow::kFlatBytes, for the granules of all addresses that
  // Shadow::is_flat() names. 0: there is none.
  uintptr_t shadow_at = 0;
};

// Whether it matters in which order, and by which increments, bytes were written.
[[nodiscard]] constexpr bool follows_writes(const Options& options) { return options.spin || options.handover; }

}  // namespace norn
