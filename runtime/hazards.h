// Candidates that are not races: what may go wrong when threads meet in another way.
#pragma once

#include "runtime/state.h"

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

}  // namespace norn::rt
