// Candidates that are not races: what may go wrong when threads meet in another way.
#pragma once

#include "base/text.h"
#include "hazards/hazard_listener.h"
#include "report/race_fwd.h"
#include "runtime/process/state.h"

namespace norn::rt {

// The findings of hazards/: reported once for the same statements. Inside.
void report_lock_order(const hazards::LockEdge* edges, unsigned count);
void report_atomicity(const hazards::BrokenRegion& broken);

// A primitive was used as it must not be: one of the kinds that has_happened().
struct Misuse {
  report::HazardKind kind;
  Address object;  // the lock; 0: `name` says what it is about
  ThreadId thread;
  StackId where;
  ThreadId other = kNoThread;  // who holds the lock, or made what leaks
  StackId other_at = kNoStack;
  Text name{};
};

// Reported once for the same kind and statement. Inside.
void report_misuse(const Misuse& misuse);

}  // namespace norn::rt
