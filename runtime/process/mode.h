// What kind of run this is, and what the runtime does in it: the questions that hooks and interceptors ask.
//
//   is_watching()         there has been a second thread: accesses count. Synchronization counts always. Asked by
//                         whatever makes an access into an event.
//   is_controlled()       one thread runs at a time, as a strategy says (runtime/control/control.h). Asked by whatever
//                         is a point to stop at, or may block.
//   is_only_scheduled()   controlled, and nobody wants races: one of the many runs of a confirmation.
//   wants_every_access()  no access may take a fast path: control, a recorder, or a listener that asks for all.
//   is_called_unsampled()    the innermost call of the program's code is not sampled (docs/design/sampling.md): what
//                         interceptors access then does not count.
//   may_pass_unsampled()     an atomic that is not sampled needs no access, only what it orders.
//
// They change rarely: `watching` when the first thread begins and in the child of a fork, `controlled` at the start,
// and in the child of a fork.
#pragma once

#include "norn/site.h"
#include "runtime/process/emit.h"
#include "runtime/process/state.h"

namespace norn::rt {

// Off while there is one thread: what it did is ordered before all that its children do. Only begin_watching() and
// the child of a fork set it.
extern constinit std::atomic<bool> watching;
inline bool is_watching() { return watching.load(std::memory_order_relaxed); }

extern constinit std::atomic<bool> controlled;
inline bool is_controlled() { return controlled.load(std::memory_order_relaxed); }

extern constinit bool only_scheduled;
inline bool is_only_scheduled() { return only_scheduled; }

inline bool wants_every_access() { return is_controlled() || emit.wants_every_access(); }

inline bool is_called_unsampled() {
  const ThreadState* state = current_state;
  const norn_site* const* top = __norn_stack;
  return state != nullptr && top > state->running->begin && top <= state->running->end &&
         (reinterpret_cast<uintptr_t>(top[-1]) & NORN_UNSAMPLED_CALL) != 0;
}

// Its definition is in runtime/hooks/atomic_hooks.cc, where atomics come from.
bool may_pass_unsampled(const Thread& thread);

}  // namespace norn::rt
