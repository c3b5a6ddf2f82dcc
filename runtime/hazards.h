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

}  // namespace norn::rt
