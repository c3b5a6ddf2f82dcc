// Mutexes, reader/writer locks and spin locks of POSIX and C11.
#include "runtime/intercept/threading/locks.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/control/control.h"
#include "runtime/control/what_if.h"
#include "runtime/hooks/loop_hooks.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/misuse.h"

namespace norn::rt {

void took(const volatile void* lock, LockMode mode, const norn_site& site, LockAttempt attempt) {
  const Inspection here;
  if (!here) return;
  // Where nobody looks, the place is wanted for the order of locks alone.
  const bool unsampled = is_called_unsampled();
  const bool placed = !unsampled || here.thread().held_count != 0;
  const StackId where = placed ? cached_stack_id(*here, &site) : kNoStack;
  emit.lock_acquire(here.thread(), address_of(lock), mode, attempt, where, is_watching() && !unsampled);
}

void giving(const volatile void* lock, LockMode mode) {
  const Inspection here;
  if (!here) return;
  emit.lock_release(here.thread(), address_of(lock), mode);
}

void destroyed_lock(const volatile void* lock, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of(lock), 1, stack_id(*here, &site));
  emit.lock_destroy(here.thread(), address_of(lock));
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

namespace {

// The owner of a robust mutex died: the caller has the mutex all the same.
bool has_mutex(int result) { return result == 0 || result == EOWNERDEAD; }

// What a try-form says of a lock that cannot be had, and a timed form when it is too late.
struct Refusals {
  int busy;
  int late;
};
constexpr Refusals kPosix = {EBUSY, ETIMEDOUT};
constexpr Refusals kC11 = {thrd_busy, thrd_timedout};

// How often a lock that is held is tried again before the thread sleeps for it, and the pauses in between: about what
// it costs to sleep and to be woken. Who holds a lock has more to do here than it would have without us, and sleeping
// for it is what the program's threads would do most of the time.
constexpr int kTries = 48;
constexpr int kPauses = 4;
// Who tried in vain (the holder may wait for a processor, too) sleeps at once for as many locks.
constexpr uint8_t kDiscouraged = 15;
NORN_TLS __thread uint8_t discouraged = 0;

template <class Attempt>
int try_for_a_while(int busy, Attempt attempt) {
  int result = attempt();
  if (result != busy) return result;
  if (discouraged != 0) {
    --discouraged;
    return result;
  }
  for (int i = 1; i < kTries; ++i) {
    for (int k = 0; k < kPauses; ++k) __builtin_ia32_pause();
    if (result = attempt(); result != busy) return result;
  }
  discouraged = kDiscouraged;
  return result;
}

// Takes a lock: as the library does, or under control by its try-form. Without a deadline `until` is null.
template <class Real, class Attempt>
int take(const volatile void* lock, const norn_site& site, clockid_t clock, const timespec* until, Refusals refusals,
         bool shared, Real real, Attempt attempt) {
  if (!is_controlled() || !control::active()) {
    const int result = try_for_a_while(refusals.busy, attempt);
    return result != refusals.busy ? result : real();
  }
  return control::acquire(lock, &site, shared ? control::Waiting::kOutsider : control::Waiting::kLock,
                          control::deadline(clock, until), refusals.busy, refusals.late, attempt);
}

// Releases a lock, which others may wait for.
template <class Real>
int release(const volatile void* lock, const norn_site& site, Real real) {
  control::pass(control::Op::kRelease, lock, site);
  giving(lock);
  const int result = real();
  control::gave_up(lock);
  return result;
}

// With another process. (Both kinds of mutex and lock are the same memory for C11 and POSIX.)
bool is_shared(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & 128) != 0; }
bool is_shared(const pthread_rwlock_t* lock) { return lock->__data.__shared != 0; }
const pthread_mutex_t* as_posix(const mtx_t* mutex) { return reinterpret_cast<const pthread_mutex_t*>(mutex); }

// A robust mutex that nobody can have any more. The try-form of glibc 2.36 says so and leaves it locked; the plain form
// says so at once and does not.
bool is_not_recoverable(const pthread_mutex_t* mutex) {
  constexpr int kRobust = 16;
  constexpr int kNotRecoverable = INT_MAX - 1;  // PTHREAD_MUTEX_NOTRECOVERABLE in nptl/pthreadP.h
  return (mutex->__data.__kind & kRobust) != 0 && mutex->__data.__owner == kNotRecoverable;
}

// The try-form says that it is busy where the plain one says that it is the caller's already.
int try_mutex(pthread_mutex_t* mutex, int (*real_try)(pthread_mutex_t*), int (*real_lock)(pthread_mutex_t*)) {
  if (is_not_recoverable(mutex)) return real_lock(mutex);
  const int result = real_try(mutex);
  const bool checks = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
  auto is_own = [&] { return static_cast<uint32_t>(mutex->__data.__owner) == sys::tid(); };
  return result == EBUSY && checks && is_own() ? real_lock(mutex) : result;
}
int try_lock(pthread_rwlock_t* lock, int (*real_try)(pthread_rwlock_t*), int (*real_lock)(pthread_rwlock_t*)) {
  const int result = real_try(lock);
  auto is_own = [&] { return static_cast<uint32_t>(lock->__data.__cur_writer) == sys::tid(); };
  return result == EBUSY && is_own() ? real_lock(lock) : result;
}

}  // namespace

// --- mutexes -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t* attributes)) {
  if (!has_started()) return EAGAIN;
  if (called_by_openmp()) return real_pthread_mutex_init(mutex, attributes);
  const int result = real_pthread_mutex_init(mutex, attributes);
  if (result == 0) made_lock(mutex, site_pthread_mutex_init);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_destroy, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_mutex_destroy(mutex);
  check_destroy(mutex, site_pthread_mutex_destroy);
  const int result = real_pthread_mutex_destroy(mutex);
  if (result == 0) destroyed_lock(mutex, site_pthread_mutex_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_mutex_trylock(mutex);
  if (leaves_out_lock(mutex, site_pthread_mutex_trylock)) return 0;
  control::pass(control::Op::kAcquire, mutex, site_pthread_mutex_trylock);
  const int result = real_pthread_mutex_trylock(mutex);
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_trylock, LockAttempt::kTry);
  if (result == EBUSY) note_refusal(mutex, site_pthread_mutex_trylock);
  check_refused(mutex, result, site_pthread_mutex_trylock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_mutex_lock(mutex);
  if (leaves_out_lock(mutex, site_pthread_mutex_lock)) return 0;
  const int result = take(
      mutex, site_pthread_mutex_lock, CLOCK_REALTIME, nullptr, kPosix, is_shared(mutex),
      [=] {
        check_wait(mutex, site_pthread_mutex_lock);
        return real_pthread_mutex_lock(mutex);
      },
      [=] { return try_mutex(mutex, real_pthread_mutex_trylock, real_pthread_mutex_lock); });
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_lock);
  check_refused(mutex, result, site_pthread_mutex_lock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(mutex, site_pthread_mutex_timedlock)) return 0;
  const int result = take(
      mutex, site_pthread_mutex_timedlock, CLOCK_REALTIME, until, kPosix, is_shared(mutex),
      [=] { return real_pthread_mutex_timedlock(mutex, until); },
      [=] { return try_mutex(mutex, real_pthread_mutex_trylock, real_pthread_mutex_lock); });
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_timedlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(mutex, site_pthread_mutex_clocklock)) return 0;
  const int result = take(
      mutex, site_pthread_mutex_clocklock, clock, until, kPosix, is_shared(mutex),
      [=] { return real_pthread_mutex_clocklock(mutex, clock, until); },
      [=] { return try_mutex(mutex, real_pthread_mutex_trylock, real_pthread_mutex_lock); });
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_clocklock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  if (called_by_openmp()) return real_pthread_mutex_unlock(mutex);
  if (left_out(mutex)) return 0;
  check_unlock(mutex, site_pthread_mutex_unlock);
  return release(mutex, site_pthread_mutex_unlock, [=] { return real_pthread_mutex_unlock(mutex); });
}

// --- reader/writer locks -----------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t* attributes)) {
  if (!has_started()) return EAGAIN;
  const int result = real_pthread_rwlock_init(lock, attributes);
  if (result == 0) made_lock(lock, site_pthread_rwlock_init);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  check_destroy(lock, site_pthread_rwlock_destroy);
  const int result = real_pthread_rwlock_destroy(lock);
  if (result == 0) destroyed_lock(lock, site_pthread_rwlock_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_tryrdlock)) return 0;
  control::pass(control::Op::kAcquire, lock, site_pthread_rwlock_tryrdlock);
  const int result = real_pthread_rwlock_tryrdlock(lock);
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_tryrdlock, LockAttempt::kTry);
  if (result == EBUSY) note_refusal(lock, site_pthread_rwlock_tryrdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_rdlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_rdlock, CLOCK_REALTIME, nullptr, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_rdlock(lock); },
      [=] { return try_lock(lock, real_pthread_rwlock_tryrdlock, real_pthread_rwlock_rdlock); });
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_rdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_timedrdlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_timedrdlock, CLOCK_REALTIME, until, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_timedrdlock(lock, until); },
      [=] { return try_lock(lock, real_pthread_rwlock_tryrdlock, real_pthread_rwlock_rdlock); });
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_timedrdlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_clockrdlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_clockrdlock, clock, until, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_clockrdlock(lock, clock, until); },
      [=] { return try_lock(lock, real_pthread_rwlock_tryrdlock, real_pthread_rwlock_rdlock); });
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_clockrdlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_trywrlock)) return 0;
  control::pass(control::Op::kAcquire, lock, site_pthread_rwlock_trywrlock);
  const int result = real_pthread_rwlock_trywrlock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_trywrlock, LockAttempt::kTry);
  if (result == EBUSY) note_refusal(lock, site_pthread_rwlock_trywrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_wrlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_wrlock, CLOCK_REALTIME, nullptr, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_wrlock(lock); },
      [=] { return try_lock(lock, real_pthread_rwlock_trywrlock, real_pthread_rwlock_wrlock); });
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_wrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_timedwrlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_timedwrlock, CLOCK_REALTIME, until, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_timedwrlock(lock, until); },
      [=] { return try_lock(lock, real_pthread_rwlock_trywrlock, real_pthread_rwlock_wrlock); });
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_timedwrlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_rwlock_clockwrlock)) return 0;
  const int result = take(
      lock, site_pthread_rwlock_clockwrlock, clock, until, kPosix, is_shared(lock),
      [=] { return real_pthread_rwlock_clockwrlock(lock, clock, until); },
      [=] { return try_lock(lock, real_pthread_rwlock_trywrlock, real_pthread_rwlock_wrlock); });
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_clockwrlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  if (left_out(lock)) return 0;
  check_unlock(lock, site_pthread_rwlock_unlock);
  return release(lock, site_pthread_rwlock_unlock, [=] { return real_pthread_rwlock_unlock(lock); });
}

// --- spin locks --------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared)) {
  if (!has_started()) return EAGAIN;
  const int result = real_pthread_spin_init(lock, shared);
  if (result == 0) made_lock(lock, site_pthread_spin_init);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_destroy, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  check_destroy(lock, site_pthread_spin_destroy);
  const int result = real_pthread_spin_destroy(lock);
  if (result == 0) destroyed_lock(lock, site_pthread_spin_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_spin_trylock)) return 0;
  control::pass(control::Op::kAcquire, lock, site_pthread_spin_trylock);
  const int result = real_pthread_spin_trylock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_spin_trylock, LockAttempt::kTry);
  if (result == EBUSY) note_refusal(const_cast<const int*>(lock), site_pthread_spin_trylock);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  if (leaves_out_lock(lock, site_pthread_spin_lock)) return 0;
  const int result = take(
      lock, site_pthread_spin_lock, CLOCK_REALTIME, nullptr, kPosix, false,
      [=] {
        check_wait(lock, site_pthread_spin_lock);
        return real_pthread_spin_lock(lock);
      },
      [=] { return real_pthread_spin_trylock(lock); });
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_spin_lock);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  if (left_out(lock)) return 0;
  check_unlock(lock, site_pthread_spin_unlock);
  return release(lock, site_pthread_spin_unlock, [=] { return real_pthread_spin_unlock(lock); });
}

// --- C11 ---------------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, mtx_init, (mtx_t * mutex, int kind)) {
  if (!has_started()) return thrd_error;
  const int result = real_mtx_init(mutex, kind);
  if (result == thrd_success) made_lock(mutex, site_mtx_init);
  return result;
}

NORN_INTERPOSE(void, mtx_destroy, (mtx_t * mutex)) {
  if (!has_started()) return;
  check_destroy(as_posix(mutex), site_mtx_destroy);
  destroyed_lock(mutex, site_mtx_destroy);
  real_mtx_destroy(mutex);
}

NORN_INTERPOSE(int, mtx_trylock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  if (leaves_out_lock(mutex, site_mtx_trylock)) return thrd_success;
  control::pass(control::Op::kAcquire, mutex, site_mtx_trylock);
  const int result = real_mtx_trylock(mutex);
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_trylock, LockAttempt::kTry);
  if (result == thrd_busy) note_refusal(mutex, site_mtx_trylock);
  return result;
}

NORN_INTERPOSE(int, mtx_lock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  if (leaves_out_lock(mutex, site_mtx_lock)) return thrd_success;
  const int result = take(
      mutex, site_mtx_lock, CLOCK_REALTIME, nullptr, kC11, false,
      [=] {
        check_wait(as_posix(mutex), site_mtx_lock);
        return real_mtx_lock(mutex);
      },
      [=] { return real_mtx_trylock(mutex); });
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_lock);
  return result;
}

NORN_INTERPOSE(int, mtx_timedlock, (mtx_t * mutex, const timespec* until)) {
  if (!has_started()) return thrd_success;
  if (leaves_out_lock(mutex, site_mtx_timedlock)) return thrd_success;
  const int result = take(
      mutex, site_mtx_timedlock, CLOCK_REALTIME, until, kC11, false, [=] { return real_mtx_timedlock(mutex, until); },
      [=] { return real_mtx_trylock(mutex); });
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_timedlock, LockAttempt::kTimed);
  return result;
}

NORN_INTERPOSE(int, mtx_unlock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  if (left_out(mutex)) return thrd_success;
  check_unlock(as_posix(mutex), site_mtx_unlock);
  return release(mutex, site_mtx_unlock, [=] { return real_mtx_unlock(mutex); });
}
