// What must hold at each point of the schedule: the program's invariants (norn/check.h), and an expression over its
// globals that whoever started it gave (schedule/predicate.h). Each counts from the first point on at which it holds.
// One that held and does not any more ends the run, and its outcome says why.
#pragma once

#include "norn/check.h"
#include "runtime/control/interest.h"

namespace norn::rt::control {

// The option `predicate`; the program's invariants may have come before.
void start_predicates();
void add_invariant(const norn_invariant& invariant);

extern constinit bool watches_predicates;

// By the thread that has the turn, and stands before this; behind it lies `behind`. Outside, without the mutex.
void look_at_predicates(const Slot& self, const norn_site* behind, const norn_site* before);

}  // namespace norn::rt::control
