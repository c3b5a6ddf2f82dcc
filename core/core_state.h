// What all parts of the detector share: the options in force, the listener, the arena, and what went wrong.
//
// The parts are classes, each derived from the one below it: CoreState, ThreadTable (core/order/thread_table.h),
// Safepoint (core/safepoint.h), Relations (core/order/relations.h), RaceFilter (core/race_filter.h), GranuleStore
// (core/shadow/granule_store.h), ShadowStore (core/shadow/shadow_store.h), and Detector (core/detector.h) on top. So a
// part can use those below it and nothing above; all data lies in one object, at offsets that the compiler knows. Of
// each part the public functions are for front ends, the protected ones for the parts above. One call goes up:
// Safepoint::CollectFunction.
#pragma once

#include <atomic>

#include "core/candidate.h"
#include "core/detector_options.h"
#include "core/storage/arena.h"

namespace norn {

class CoreState {
 public:
  constexpr CoreState() = default;
  CoreState(const CoreState&) = delete;
  CoreState& operator=(const CoreState&) = delete;

  [[nodiscard]] const Options& options() const { return options_; }

 protected:
  // Only full order counts, and locks order fully.
  [[nodiscard]] bool is_lockless() const { return is_by_order_alone(options_.engine); }

  // Says it to the user, the first time.
  void note_once(std::atomic<bool>& said, const char* text);
  // An access could not be recorded.
  void no_memory_for_shadow();
  // Synchronization could not be recorded: whatever would be reported from now on may be false, and nothing is.
  void no_memory_for_clocks();
  [[nodiscard]] bool is_blind() const { return blind_.load(std::memory_order_relaxed); }

  Options options_;
  Listener listener_;
  Arena arena_;
  // Who wrote what last is not known everywhere: who waits for something of which no write is known comes after all,
  // and where it matters what is handed over nothing is predicted.
  std::atomic<bool> writes_forgotten_{false};

 private:
  std::atomic<bool> blind_{false};
  std::atomic<bool> said_shadow_{false};
  std::atomic<bool> said_clocks_{false};
};

}  // namespace norn
