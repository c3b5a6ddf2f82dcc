// Mutexes, reader/writer locks and spin locks of POSIX and C11.
#include "runtime/locks.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

using namespace norn;
using namespace norn::rt;

namespace {

// The owner of a robust mutex died: the caller has the mutex all the same.
bool has_mutex(int result) { return result == 0 || result == EOWNERDEAD; }

}  // namespace

// --- mutexes -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t* attributes)) {
  if (!has_started()) return EAGAIN;
  const int result = real_pthread_mutex_init(mutex, attributes);
  if (result == 0) made_lock(mutex, site_pthread_mutex_init);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_destroy, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  const int result = real_pthread_mutex_destroy(mutex);
  if (result == 0) destroyed_lock(mutex, site_pthread_mutex_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  const int result = real_pthread_mutex_lock(mutex);
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_lock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  const int result = real_pthread_mutex_trylock(mutex);
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_trylock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_mutex_timedlock(mutex, until);
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_timedlock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_mutex_clocklock(mutex, clock, until);
  if (has_mutex(result)) took(mutex, LockMode::kExclusive, site_pthread_mutex_clocklock);
  return result;
}

NORN_INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t * mutex)) {
  if (!has_started()) return 0;
  giving(mutex);
  return real_pthread_mutex_unlock(mutex);
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
  const int result = real_pthread_rwlock_destroy(lock);
  if (result == 0) destroyed_lock(lock, site_pthread_rwlock_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_rdlock(lock);
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_rdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_tryrdlock(lock);
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_tryrdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_timedrdlock(lock, until);
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_timedrdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_clockrdlock(lock, clock, until);
  if (result == 0) took(lock, LockMode::kShared, site_pthread_rwlock_clockrdlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_wrlock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_wrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_trywrlock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_trywrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_timedwrlock(lock, until);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_timedwrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  if (!has_started()) return 0;
  const int result = real_pthread_rwlock_clockwrlock(lock, clock, until);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_rwlock_clockwrlock);
  return result;
}

NORN_INTERPOSE(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  if (!has_started()) return 0;
  giving(lock);
  return real_pthread_rwlock_unlock(lock);
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
  const int result = real_pthread_spin_destroy(lock);
  if (result == 0) destroyed_lock(lock, site_pthread_spin_destroy);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_spin_lock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_spin_lock);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  const int result = real_pthread_spin_trylock(lock);
  if (result == 0) took(lock, LockMode::kExclusive, site_pthread_spin_trylock);
  return result;
}

NORN_INTERPOSE(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  if (!has_started()) return 0;
  giving(lock);
  return real_pthread_spin_unlock(lock);
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
  destroyed_lock(mutex, site_mtx_destroy);
  real_mtx_destroy(mutex);
}

NORN_INTERPOSE(int, mtx_lock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  const int result = real_mtx_lock(mutex);
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_lock);
  return result;
}

NORN_INTERPOSE(int, mtx_trylock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  const int result = real_mtx_trylock(mutex);
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_trylock);
  return result;
}

NORN_INTERPOSE(int, mtx_timedlock, (mtx_t * mutex, const timespec* until)) {
  if (!has_started()) return thrd_success;
  const int result = real_mtx_timedlock(mutex, until);
  if (result == thrd_success) took(mutex, LockMode::kExclusive, site_mtx_timedlock);
  return result;
}

NORN_INTERPOSE(int, mtx_unlock, (mtx_t * mutex)) {
  if (!has_started()) return thrd_success;
  giving(mutex);
  return real_mtx_unlock(mutex);
}
