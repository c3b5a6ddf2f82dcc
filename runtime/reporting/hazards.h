// Candidates that are not races: what may go wrong when threads meet in another way.
#pragma once

#include "report/race.h"
#include "runtime/process/state.h"

namespace norn::rt {

// A thread holds one lock and wants another.
struct LockEdge {
  ThreadId thread;
  Address holds;
  Address wants;
  Where holds_at;
  Where wants_at;
};

// Each edge wants what the next one holds, the last what the first holds. Told once for the same statements. Inside.
void report_lock_order(const LockEdge* edges, unsigned count);

struct LockedStatement {
  ThreadId thread;
  Where where;
  bool writes;
};

// Two statements of one thread and one of another, all with the same lock, which is given up between the two.
struct BrokenRegion {
  Address address;
  LockedStatement first;
  LockedStatement between;
  LockedStatement second;
  Where taken_again;    // the lock, by the first thread
  Where taken_between;  // by the other
};

// Told once for the same statements. Inside.
void report_atomicity(const BrokenRegion& broken);

// A primitive was used as it must not be: one of the kinds that has_happened().
struct Misuse {
  report::HazardKind kind;
  Address object;  // the lock; 0: `name` says what it is about
  ThreadId thread;
  Where where;
  ThreadId other = kNoThread;  // who holds the lock, or made what leaks
  Where other_at = kNowhere;
  Text name{};
};

// Told once for the same kind and statement. Inside.
void report_misuse(const Misuse& misuse);

}  // namespace norn::rt
