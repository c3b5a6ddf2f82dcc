// Barriers, semaphores, once, and the initialisation of local statics.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>

#include "runtime/locks.h"

using namespace norn;
using namespace norn::rt;

namespace {

void used(const Inspection& here, const volatile void* object, const norn_site& site) {
  if (is_watching()) {
    detector.access(here.thread(), AccessKind::kAtomicRead, address_of(object), 1, [&] { return place(*here, &site); });
  }
}

void destroyed(const volatile void* object, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) detector.write(here.thread(), address_of(object), 1, place(*here, &site));
  detector.sync_destroy(here.thread(), address_of(object));
}

void posting(sem_t* semaphore, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  used(here, semaphore, site);
  detector.semaphore_post(here.thread(), address_of(semaphore));
}

void waited(sem_t* semaphore, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  detector.semaphore_wait(here.thread(), address_of(semaphore));
  used(here, semaphore, site);
}

}  // namespace

// --- barriers ----------------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pthread_barrier_init,
               (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count)) {
  if (!has_started()) return EAGAIN;
  const int result = real_pthread_barrier_init(barrier, attributes, count);
  if (result == 0) {
    if (const Inspection here; here) {
      if (is_watching()) {
        detector.write(here.thread(), address_of(barrier), 1, place(*here, &site_pthread_barrier_init));
      }
      detector.barrier_init(here.thread(), address_of(barrier), count);
    }
  }
  return result;
}

NORN_INTERPOSE(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  if (!has_started()) return 0;
  destroyed(barrier, site_pthread_barrier_destroy);
  return real_pthread_barrier_destroy(barrier);
}

NORN_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  if (!has_started()) return EINVAL;
  if (const Inspection here; here) {
    used(here, barrier, site_pthread_barrier_wait);
    detector.barrier_enter(here.thread(), address_of(barrier));
  }
  const int result = real_pthread_barrier_wait(barrier);
  if (const Inspection here; here) detector.barrier_leave(here.thread(), address_of(barrier));
  return result;
}

// --- semaphores --------------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, sem_init, (sem_t * semaphore, int shared, unsigned value)) {
  if (!has_started()) return -1;
  const int result = real_sem_init(semaphore, shared, value);
  if (result == 0) destroyed(semaphore, site_sem_init);
  return result;
}

NORN_INTERPOSE(int, sem_destroy, (sem_t * semaphore)) {
  if (!has_started()) return 0;
  destroyed(semaphore, site_sem_destroy);
  return real_sem_destroy(semaphore);
}

// One name is one address in a process, so a named semaphore is like any other.
NORN_INTERPOSE(int, sem_post, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  posting(semaphore, site_sem_post);
  return real_sem_post(semaphore);
}

NORN_INTERPOSE(int, sem_wait, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  const int result = real_sem_wait(semaphore);
  if (result == 0) waited(semaphore, site_sem_wait);
  return result;
}

NORN_INTERPOSE(int, sem_trywait, (sem_t * semaphore)) {
  if (!has_started()) return -1;
  const int result = real_sem_trywait(semaphore);
  if (result == 0) waited(semaphore, site_sem_trywait);
  return result;
}

NORN_INTERPOSE(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  if (!has_started()) return -1;
  const int result = real_sem_timedwait(semaphore, until);
  if (result == 0) waited(semaphore, site_sem_timedwait);
  return result;
}

NORN_INTERPOSE(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  if (!has_started()) return -1;
  const int result = real_sem_clockwait(semaphore, clock, until);
  if (result == 0) waited(semaphore, site_sem_clockwait);
  return result;
}

NORN_INTERPOSE(int, sem_getvalue, (sem_t * semaphore, int* value)) {
  if (!has_started()) return -1;
  const int result = real_sem_getvalue(semaphore, value);
  if (result == 0) waited(semaphore, site_sem_getvalue);
  return result;
}

// --- once --------------------------------------------------------------------------------------------------------------

namespace {

// Inside the library's own once: the others go on only when this has returned, so the event comes before it does.
void run_once() {
  ThreadState* state = current_state;
  void (*routine)() = state->once_routine;
  const void* control = state->once_control;
  routine();
  if (const Inspection here; here) detector.once_done(here.thread(), address_of(control));
}

template <class Control>
int once(Control* control, void (*routine)(), int (*real)(Control*, void (*)())) {
  bool known = false;
  if (const Inspection here; here) {
    here->once_routine = routine;
    here->once_control = control;
    known = true;
  }
  const int result = real(control, known ? &run_once : routine);
  if (known) {
    if (const Inspection here; here) detector.once_seen(here.thread(), address_of(control));
  }
  return result;
}

}  // namespace

NORN_INTERPOSE(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  if (!has_started()) return EINVAL;
  return once(control, routine, real_pthread_once);
}

NORN_INTERPOSE(void, call_once, (once_flag * control, void (*routine)())) {
  if (!has_started()) return;
  once(control, routine, +[](once_flag* flag, void (*what)()) {
    real_call_once(flag, what);
    return 0;
  });
}

// --- local statics -------------------------------------------------------------------------------------------------------
//
// Compiled code reads the guard's first byte itself, with acquire, and calls these only where it is zero. So the release
// is a message of that byte.

NORN_INTERPOSE_OPTIONAL(int, __cxa_guard_acquire, (uint64_t * guard)) {
  if (!has_started() || real___cxa_guard_acquire == nullptr) return *reinterpret_cast<char*>(guard) == 0;
  const int result = real___cxa_guard_acquire(guard);
  if (result == 0) {
    if (const Inspection here; here) detector.once_seen(here.thread(), address_of(guard));
  }
  return result;
}

NORN_INTERPOSE_OPTIONAL(void, __cxa_guard_release, (uint64_t * guard)) {
  if (!has_started() || real___cxa_guard_release == nullptr) {
    *reinterpret_cast<char*>(guard) = 1;
    return;
  }
  if (const Inspection here; here) {
    detector.once_done(here.thread(), address_of(guard));
    detector.atomic(here.thread(), address_of(guard), 1, place(*here, &site___cxa_guard_release),
                    [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
  }
  real___cxa_guard_release(guard);
}
