// Locks that are taken in different orders: what may become a deadlock.
//
// Whenever a thread takes a lock while it holds others, an edge goes from each of these to it. A cycle of edges of
// different threads is an inversion (Havelund: Using Runtime Analysis to Guide Model Checking of Java Programs, SPIN
// 2000, with gate locks after Bensalem and Havelund, Scalable Dynamic Deadlock Analysis, PADTAD 2005), unless
// - two of the edges were made while the same lock was held: a gate, which lets only one of the threads in; or
// - they are ordered by more than locks: the threads were never there at the same time; or
// - a lock of the cycle is only read on both sides.
// An inversion is told once for each set of statements that take the inner locks. `norn confirm` drives the threads
// into it.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

// The calling thread has just taken the lock, and would have waited for it. Inside.
void note_lock_order(ThreadState& state, Address lock);

}  // namespace norn::rt
