// Condition variables of POSIX and C11.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/control/control.h"
#include "runtime/control/what_if.h"
#include "runtime/hooks/loop_hooks.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/threading/locks.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

// The old cleanup interface: it needs neither exceptions nor a landing pad.
struct _pthread_cleanup_buffer;

namespace norn::rt {
namespace {

NORN_REAL(void, _pthread_cleanup_push,
          (struct _pthread_cleanup_buffer * buffer, void (*routine)(void*), void* argument))
NORN_REAL(void, _pthread_cleanup_pop, (struct _pthread_cleanup_buffer * buffer, int execute))
NORN_REAL_INTERPOSED(int, pthread_mutex_trylock, (pthread_mutex_t * mutex))
NORN_REAL_INTERPOSED(int, pthread_mutex_unlock, (pthread_mutex_t * mutex))
NORN_REAL(void, pthread_testcancel, ())

// A wait: the mutex is given up on the way in and taken on the way out, which may be by cancellation.
struct Wait {
  const void* condition;
  const void* mutex;
  const norn_site* site;
};

void leave_wait(const Wait& wait, bool woken) {
  const Inspection here;
  if (!here) return;
  emit.wait_leave(here.thread(), address_of(wait.condition), address_of(wait.mutex), !woken,
                  stack_id(*here, wait.site));
}

// Here it is known that a request to cancel the thread is acted upon: what the thread does from now on comes after it.
void cancelled(void* argument) {
  got_signal(kCancellation);
  leave_wait(*static_cast<const Wait*>(argument), false);
}

// A wait under control: the condition variable itself is not used, so that the strategy decides whom a signal wakes.
// Nobody wakes for nothing.
int wait_controlled(const void* condition, const void* mutex, control::Time until) {
  auto* lock = static_cast<pthread_mutex_t*>(const_cast<void*>(mutex));
  if (const int error = real_pthread_mutex_unlock(lock); error != 0) return error;
  control::wake_all(lock);
  const control::Woken woken = control::wait(control::Waiting::kCondition, condition, until);
  int result = real_pthread_mutex_trylock(lock);
  while (result == EBUSY) {
    control::wait(control::Waiting::kLock, lock);
    result = real_pthread_mutex_trylock(lock);
  }
  if (result != 0) return result;
  if (woken == control::Woken::kInterrupted) real_pthread_testcancel();
  return woken == control::Woken::kTimeout ? ETIMEDOUT : 0;
}

// With another process: the library's own wait is the only one it knows.
bool is_shared(const pthread_cond_t* condition) { return (condition->__data.__wrefs & 1) != 0; }

bool is_shared(const cnd_t* /*condition*/) { return false; }

// The clock that timed waits of a condition variable mean, as pthread_condattr_setclock set it.
clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

template <class Condition, class Call>
int wait_one_way(const Condition* condition, const void* mutex, clockid_t clock, const timespec* until, Call call) {
  if (!is_controlled() || !control::active()) return call();
  if (!is_shared(condition)) return wait_controlled(condition, mutex, control::deadline(clock, until));
  const control::Outside outside;
  return call();
}

int c11_result(int result) { return result == ETIMEDOUT ? thrd_timedout : result; }

template <class Call>
int wait_on(const void* condition, const void* mutex, const norn_site& site, Call call) {
  if (left_out(mutex)) {
    const TakesAll here;
    [[maybe_unused]] const int taken = pthread_mutex_lock(static_cast<pthread_mutex_t*>(const_cast<void*>(mutex)));
  }
  control::pass(control::Op::kWait, condition, site);
  Wait wait = {condition, mutex, &site};
  bool waits = false;
  if (const Inspection here; here) {
    waits = true;
    if (is_watching()) emit.use(here.thread(), address_of(condition), cached_stack_id(*here, &site));
    emit.wait_enter(here.thread(), address_of(condition), address_of(mutex), waits_in_loop(condition));
  }
  if (!waits || real__pthread_cleanup_push == nullptr) {
    const int result = call();
    if (waits) leave_wait(wait, result == 0);
    return result;
  }
  _pthread_cleanup_buffer buffer;
  real__pthread_cleanup_push(&buffer, &cancelled, &wait);
  const int result = call();
  real__pthread_cleanup_pop(&buffer, 0);
  // EINVAL and EPERM: it did not even wait. The mutex is held in any case.
  leave_wait(wait, result == 0);
  return result;
}

enum class Woken : uint8_t { kOne, kAll };

// True: who waits was woken.
bool signal(const void* condition, Woken woken) {
  if (!is_controlled() || !control::active()) return false;
  if (woken == Woken::kAll) {
    control::wake_all(condition);
  } else {
    control::wake_one(condition);
  }
  return true;
}

void signalling(const void* condition, Woken woken, const norn_site& site) {
  control::pass(control::Op::kSignal, condition, site);
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.use(here.thread(), address_of(condition), cached_stack_id(*here, &site));
  if (woken == Woken::kAll) {
    emit.broadcast(here.thread(), address_of(condition));
  } else {
    emit.signal(here.thread(), address_of(condition));
  }
}

void destroyed_condition(const void* condition, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of(condition), 1, stack_id(*here, &site));
  emit.sync_destroy(here.thread(), address_of(condition));
}

// The default version since 2.3.2; the older one has another layout.
#define NORN_CONDITION_VERSION "GLIBC_2.3.2"

}  // namespace
}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

NORN_INTERPOSE_VERSION(int, pthread_cond_init, NORN_CONDITION_VERSION,
                       (pthread_cond_t * condition, const pthread_condattr_t* attributes)) {
  if (!has_started()) return EAGAIN;
  if (called_by_openmp()) return real_pthread_cond_init(condition, attributes);
  const int result = real_pthread_cond_init(condition, attributes);
  if (result == 0) destroyed_condition(condition, site_pthread_cond_init);
  return result;
}

NORN_INTERPOSE_VERSION(int, pthread_cond_destroy, NORN_CONDITION_VERSION, (pthread_cond_t * condition)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_cond_destroy(condition);
  destroyed_condition(condition, site_pthread_cond_destroy);
  return real_pthread_cond_destroy(condition);
}

NORN_INTERPOSE_VERSION(int, pthread_cond_signal, NORN_CONDITION_VERSION, (pthread_cond_t * condition)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_cond_signal(condition);
  signalling(condition, Woken::kOne, site_pthread_cond_signal);
  if (!is_shared(condition) && signal(condition, Woken::kOne)) return 0;
  return real_pthread_cond_signal(condition);
}

NORN_INTERPOSE_VERSION(int, pthread_cond_broadcast, NORN_CONDITION_VERSION, (pthread_cond_t * condition)) {
  if (!has_started()) return 0;
  signalling(condition, Woken::kAll, site_pthread_cond_broadcast);
  if (!is_shared(condition) && signal(condition, Woken::kAll)) return 0;
  return real_pthread_cond_broadcast(condition);
}

NORN_INTERPOSE_VERSION(int, pthread_cond_wait, NORN_CONDITION_VERSION,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  if (!has_started()) return EINVAL;
  if (called_by_openmp()) {
    const control::Outside outside;
    return real_pthread_cond_wait(condition, mutex);
  }
  return wait_on(condition, mutex, site_pthread_cond_wait, [=] {
    return wait_one_way(condition, mutex, CLOCK_REALTIME, nullptr,
                        [=] { return real_pthread_cond_wait(condition, mutex); });
  });
}

NORN_INTERPOSE_VERSION(int, pthread_cond_timedwait, NORN_CONDITION_VERSION,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  if (!has_started()) return EINVAL;
  return wait_on(condition, mutex, site_pthread_cond_timedwait, [=] {
    return wait_one_way(condition, mutex, clock_of(condition), until,
                        [=] { return real_pthread_cond_timedwait(condition, mutex, until); });
  });
}

NORN_INTERPOSE(int, pthread_cond_clockwait,
               (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)) {
  if (!has_started()) return EINVAL;
  return wait_on(condition, mutex, site_pthread_cond_clockwait, [=] {
    return wait_one_way(condition, mutex, clock, until,
                        [=] { return real_pthread_cond_clockwait(condition, mutex, clock, until); });
  });
}

NORN_INTERPOSE(int, cnd_init, (cnd_t * condition)) {
  if (!has_started()) return thrd_error;
  const int result = real_cnd_init(condition);
  if (result == thrd_success) destroyed_condition(condition, site_cnd_init);
  return result;
}

NORN_INTERPOSE(void, cnd_destroy, (cnd_t * condition)) {
  if (!has_started()) return;
  destroyed_condition(condition, site_cnd_destroy);
  real_cnd_destroy(condition);
}

NORN_INTERPOSE(int, cnd_signal, (cnd_t * condition)) {
  if (!has_started()) return thrd_error;
  signalling(condition, Woken::kOne, site_cnd_signal);
  if (signal(condition, Woken::kOne)) return thrd_success;
  return real_cnd_signal(condition);
}

NORN_INTERPOSE(int, cnd_broadcast, (cnd_t * condition)) {
  if (!has_started()) return thrd_error;
  signalling(condition, Woken::kAll, site_cnd_broadcast);
  if (signal(condition, Woken::kAll)) return thrd_success;
  return real_cnd_broadcast(condition);
}

NORN_INTERPOSE(int, cnd_wait, (cnd_t * condition, mtx_t* mutex)) {
  if (!has_started()) return thrd_error;
  return wait_on(condition, mutex, site_cnd_wait, [=] {
    return c11_result(
        wait_one_way(condition, mutex, CLOCK_REALTIME, nullptr, [=] { return real_cnd_wait(condition, mutex); }));
  });
}

NORN_INTERPOSE(int, cnd_timedwait, (cnd_t * condition, mtx_t* mutex, const timespec* until)) {
  if (!has_started()) return thrd_error;
  return wait_on(condition, mutex, site_cnd_timedwait, [=] {
    return c11_result(wait_one_way(condition, mutex, CLOCK_REALTIME, until,
                                   [=] { return real_cnd_timedwait(condition, mutex, until); }));
  });
}
