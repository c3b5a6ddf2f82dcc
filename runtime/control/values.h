// What the candidate's two accesses do to memory where they meet first, for the outcome.
//
// While threads take turns, what an access finds in memory is known: it is read when its thread is let go, and nothing
// else runs until the access is made. Where something else may run, nothing is noted: a thread that is outside, one
// whose turn is taken away, a handler that comes between, memory that other processes may have. Threads that the C
// library did not create write unseen.
#pragma once

#include "runtime/control/slots.h"

namespace norn::rt::control {

// By the thread, before the point of its access. `written`: as access() of control.h has it.
[[nodiscard]] Slot::Values values_before(AccessKind kind, size_t size, const norn_site* site, const uint64_t* written);

// --- under the mutex -------------------------------------------------------------------------------------------------

// The first meeting: the first one goes on now, the second one stands before its access.
void note_met(const schedule::Step& first, const schedule::Step& second);
// The thread goes on with its step.
void note_goes_on(const schedule::Step& step);
// If the thread has come to no point since it was noted, others may have written before its access.
void forget_values(uint32_t thread);

}  // namespace norn::rt::control
