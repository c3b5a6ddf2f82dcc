// Condition variables, and what is done once.
#include <pthread.h>
#include <threads.h>

#include "runtime/intercept/interpose.h"
#include "runtime/probe/following.h"
#include "runtime/probe/slots.h"

using namespace norn::probe;

namespace {

// The older ones, which the C library keeps, have another layout.
#define NORN_CONDITION_VERSION "GLIBC_2.3.2"

// The mutex is given up and taken again. A wait that was in vain is ordered by the mutex alone; here it is after the
// signal, too, which can hide a race.
template <class Wait>
int wait_on(const void* condition, const void* mutex, Wait wait) {
  before_release(mutex);
  const Waiting waiting;
  const int result = wait();
  after_acquire(mutex);
  after_acquire(condition);
  return result;
}

}  // namespace

NORN_THIN_VERSION(int, pthread_cond_signal, NORN_CONDITION_VERSION, (pthread_cond_t * condition), (condition)) {
  armed_call();
  before_release(condition);
  return real_pthread_cond_signal(condition);
}
NORN_THIN_VERSION(int, pthread_cond_broadcast, NORN_CONDITION_VERSION, (pthread_cond_t * condition), (condition)) {
  armed_call();
  before_release(condition);
  return real_pthread_cond_broadcast(condition);
}
NORN_INTERPOSE_VERSION(int, pthread_cond_wait, NORN_CONDITION_VERSION,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  return wait_on(condition, mutex, [=] { return real_pthread_cond_wait(condition, mutex); });
}
NORN_INTERPOSE_VERSION(int, pthread_cond_timedwait, NORN_CONDITION_VERSION,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  return wait_on(condition, mutex, [=] { return real_pthread_cond_timedwait(condition, mutex, until); });
}
NORN_INTERPOSE(int, pthread_cond_clockwait,
               (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)) {
  return wait_on(condition, mutex, [=] { return real_pthread_cond_clockwait(condition, mutex, clock, until); });
}

NORN_THIN(int, cnd_signal, (cnd_t * condition), (condition)) {
  armed_call();
  before_release(condition);
  return real_cnd_signal(condition);
}
NORN_THIN(int, cnd_broadcast, (cnd_t * condition), (condition)) {
  armed_call();
  before_release(condition);
  return real_cnd_broadcast(condition);
}
NORN_INTERPOSE(int, cnd_wait, (cnd_t * condition, mtx_t* mutex)) {
  return wait_on(condition, mutex, [=] { return real_cnd_wait(condition, mutex); });
}
NORN_INTERPOSE(int, cnd_timedwait, (cnd_t * condition, mtx_t* mutex, const timespec* until)) {
  return wait_on(condition, mutex, [=] { return real_cnd_timedwait(condition, mutex, until); });
}

// --- once --------------------------------------------------------------------------------------------------------

namespace {

// What the calling thread does once now; one may be within another.
struct Once {
  void (*routine)();
  const void* control;
};
__thread constinit Once doing = {nullptr, nullptr};

// Between the routine and the note that it was done: who sees the note comes after it.
void do_once() {
  const Once own = doing;
  own.routine();
  before_release(own.control);
}

template <class Control, class Real>
auto once(Control* control, void (*routine)(), Real real) {
  const Once outer = doing;
  doing = {routine, control};
  struct Restored {
    Once outer;
    ~Restored() { doing = outer; }
  };
  const Restored restored{outer};
  if constexpr (__is_void(decltype(real(control, &do_once)))) {
    real(control, &do_once);
    after_acquire(control);
  } else {
    const auto result = real(control, &do_once);
    after_acquire(control);
    return result;
  }
}

}  // namespace

NORN_INTERPOSE(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  return once(control, routine, real_pthread_once);
}
NORN_INTERPOSE(void, call_once, (once_flag * control, void (*routine)())) { once(control, routine, real_call_once); }

// Static variables of functions. Their code looks at the guard by itself first, which is an atomic load.
NORN_INTERPOSE_OPTIONAL(int, __cxa_guard_acquire, (uint64_t* guard)) {
  const int result = real___cxa_guard_acquire(guard);
  after_acquire(guard);
  return result;
}
NORN_INTERPOSE_OPTIONAL(void, __cxa_guard_release, (uint64_t* guard)) {
  before_release(guard);
  real___cxa_guard_release(guard);
}
