// Locks, threads and handlers that are used as they must not be. What is wrong is read from the C library's own objects
// and from what the core knows the thread to hold; only where both say so is it reported, as a hazard
// (hazard_reporter.h).
//
// Not reported: what POSIX defines to fail with an error (error-checking, recursive and robust mutexes say EPERM or
// EDEADLK to their caller), and what the program cannot be blamed for (locks that a fork's child inherits).
#pragma once

#include <pthread.h>

#include "core/order/thread.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/state.h"

namespace norn::rt {

// All are called by the thread that does it, outside; `site` is the function of the library.

// Before it is unlocked.
void check_foreign_unlock(const pthread_mutex_t* mutex, const norn_site& site);
void check_foreign_unlock(const pthread_rwlock_t* lock, const norn_site& site);
void check_foreign_unlock(const pthread_spinlock_t* lock, const norn_site& site);
template <class Lock>
void check_unlock(const Lock* lock, const norn_site& site) {
  const ThreadState* state = current_state;
  const Thread* thread = state == nullptr ? nullptr : state->core;
  const bool is_newest =
      thread != nullptr && thread->held_count != 0 && thread->held[thread->held_count - 1].address == address_of(lock);
  if (!is_newest) check_foreign_unlock(lock, site);
}
// It cannot be had, and the caller is about to wait for it.
void check_wait(const pthread_mutex_t* mutex, const norn_site& site);
void check_wait(const pthread_spinlock_t* lock, const norn_site& site);
// The library refused it.
void check_refused(const pthread_mutex_t* mutex, int result, const norn_site& site);
// Before it is destroyed.
void check_destroy(const pthread_mutex_t* mutex, const norn_site& site);
void check_destroy(const pthread_rwlock_t* lock, const norn_site& site);
void check_destroy(const pthread_spinlock_t* lock, const norn_site& site);

// A function that is not async-signal-safe is called: wrong in a handler of a signal that the thread did not ask for.
void note_unsafe_call(const norn_site& site);
[[gnu::always_inline]] inline void check_safe_call(const norn_site& site) {
  const ThreadState* state = current_state;
  if (state != nullptr && state->outside_handlers != 0) [[unlikely]]
    note_unsafe_call(site);
}
// A handler has returned, and errno is not what it was. `call`: the last one that it made; null if it made none.
void note_errno_changed(ThreadState& state, const norn_site* call);

// At the end of the program: a thread that ended is still joinable.
void note_thread_leak(ThreadId leaked);

}  // namespace norn::rt
