// Mutexes, reader/writer locks, spin locks, barriers, semaphores: POSIX's and C11's.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

#include "base/hash.h"
#include "runtime/intercept/interpose.h"
#include "runtime/probe/following.h"
#include "runtime/probe/misbehaviour.h"
#include "runtime/probe/slots.h"
#include "runtime/process/syscalls.h"

using namespace norn::probe;

namespace {

// The owner of a robust mutex died: the caller has the mutex all the same.
bool has_mutex(int result) { return result == 0 || result == EOWNERDEAD; }

int took_mutex(const void* mutex, int result) {
  if (is_alert() && has_mutex(result)) [[unlikely]]
    follow_acquire(object_at(mutex), true);
  return result;
}

int took_lock(const void* lock, int result, bool writes) {
  if (is_alert() && result == 0) [[unlikely]]
    follow_acquire(object_at(lock), writes);
  return result;
}

}  // namespace

// --- mutexes -----------------------------------------------------------------------------------------------------

NORN_THIN(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex)) {
  armed_call();
  return took_mutex(mutex, real_pthread_mutex_lock(mutex));
}
NORN_THIN(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex)) {
  armed_call();
  return took_mutex(mutex, real_pthread_mutex_trylock(mutex));
}
NORN_INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until)) {
  return took_mutex(mutex, real_pthread_mutex_timedlock(mutex, until));
}
NORN_INTERPOSE(int, pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const timespec* until)) {
  return took_mutex(mutex, real_pthread_mutex_clocklock(mutex, clock, until));
}
NORN_THIN(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex)) {
  armed_call();
  before_release(mutex);
  return real_pthread_mutex_unlock(mutex);
}

NORN_THIN(int, mtx_lock, (mtx_t * mutex), (mutex)) {
  armed_call();
  return took_lock(mutex, real_mtx_lock(mutex), true);
}
NORN_THIN(int, mtx_trylock, (mtx_t * mutex), (mutex)) {
  armed_call();
  return took_lock(mutex, real_mtx_trylock(mutex), true);
}
NORN_INTERPOSE(int, mtx_timedlock, (mtx_t * mutex, const timespec* until)) {
  return took_lock(mutex, real_mtx_timedlock(mutex, until), true);
}
NORN_THIN(int, mtx_unlock, (mtx_t * mutex), (mutex)) {
  armed_call();
  before_release(mutex);
  return real_mtx_unlock(mutex);
}

namespace {

constexpr int32_t kHangCalls = 262'144;  // after a thread was held; later hangs are not its doing

constinit int (*plain_lock)(pthread_mutex_t*) = nullptr;
constinit std::atomic<int32_t> hang_calls{0};

int lock_or_hang(pthread_mutex_t* mutex);

// Also where a slot that is not armed leads.
void replace_lock(int (*now)(pthread_mutex_t*), int (*by)(pthread_mutex_t*)) {
  __atomic_store_n(&real_pthread_mutex_lock, by, __ATOMIC_RELEASE);
  auto expected = reinterpret_cast<uint64_t>(now);
  page.slots[kSlot_pthread_mutex_lock].compare_exchange_strong(expected, reinterpret_cast<uint64_t>(by));
}

int lock_or_hang(pthread_mutex_t* mutex) {
  const int32_t left = hang_calls.load(std::memory_order_relaxed) - 1;
  hang_calls.store(left, std::memory_order_relaxed);
  if (left <= 0) replace_lock(&lock_or_hang, plain_lock);
  // Most are free.
  const int at_once = real_pthread_mutex_trylock(mutex);
  if (at_once != EBUSY) return at_once;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kHangSeconds;
  const int result = real_pthread_mutex_timedlock(mutex, &until);
  if (result != ETIMEDOUT) return result;
  validation.hang();
  return plain_lock(mutex);
}

}  // namespace

void norn::probe::expect_hang() {
  if (plain_lock == nullptr) plain_lock = real_pthread_mutex_lock;
  hang_calls.store(kHangCalls, std::memory_order_relaxed);
  replace_lock(plain_lock, &lock_or_hang);
}

// --- reader/writer locks -----------------------------------------------------------------------------------------

NORN_THIN(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock)) {
  armed_call();
  return took_lock(lock, real_pthread_rwlock_rdlock(lock), false);
}
NORN_THIN(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock)) {
  armed_call();
  return took_lock(lock, real_pthread_rwlock_tryrdlock(lock), false);
}
NORN_INTERPOSE(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until)) {
  return took_lock(lock, real_pthread_rwlock_timedrdlock(lock, until), false);
}
NORN_INTERPOSE(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  return took_lock(lock, real_pthread_rwlock_clockrdlock(lock, clock, until), false);
}
NORN_THIN(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock)) {
  armed_call();
  return took_lock(lock, real_pthread_rwlock_wrlock(lock), true);
}
NORN_THIN(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock)) {
  armed_call();
  return took_lock(lock, real_pthread_rwlock_trywrlock(lock), true);
}
NORN_INTERPOSE(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until)) {
  return took_lock(lock, real_pthread_rwlock_timedwrlock(lock, until), true);
}
NORN_INTERPOSE(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  return took_lock(lock, real_pthread_rwlock_clockwrlock(lock, clock, until), true);
}
NORN_THIN(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock)) {
  armed_call();
  if (is_alert()) [[unlikely]] {
    const bool wrote = static_cast<uint32_t>(lock->__data.__cur_writer) == norn::rt::sys::tid();
    follow_release(object_at(lock), wrote ? Passes::kToAll : Passes::kToWriters);
  }
  return real_pthread_rwlock_unlock(lock);
}

// --- spin locks --------------------------------------------------------------------------------------------------

NORN_THIN(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock)) {
  armed_call();
  const int result = real_pthread_spin_lock(lock);
  if (result == 0) after_acquire(lock);
  return result;
}
NORN_THIN(int, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock)) {
  armed_call();
  const int result = real_pthread_spin_trylock(lock);
  if (result == 0) after_acquire(lock);
  return result;
}
NORN_THIN(int, pthread_spin_unlock, (pthread_spinlock_t * lock), (lock)) {
  armed_call();
  before_release(lock);
  return real_pthread_spin_unlock(lock);
}

// --- barriers and semaphores -------------------------------------------------------------------------------------

namespace {

// Who leaves a barrier comes after those who entered in the same generation, and not after who is through already and
// enters the next: so arrivals are counted, always. A generation is over before anybody can arrive for the next one, so
// the number of the arrival says which it is.
struct Barrier {
  std::atomic<const void*> address{nullptr};
  std::atomic<uint32_t> count{0};
  std::atomic<uint64_t> arrivals{0};
};
constexpr size_t kBarriers = 256;
constinit Barrier barriers[kBarriers];

Barrier* find_barrier(const void* address, bool add) {
  const size_t home = norn::hash_word(object_at(address)) >> 56;
  for (size_t i = 0; i < kBarriers; ++i) {
    Barrier& barrier = barriers[(home + i) % kBarriers];
    const void* known = barrier.address.load(std::memory_order_acquire);
    if (known == address) return &barrier;
    if (known != nullptr) continue;
    if (!add) return nullptr;
    if (barrier.address.compare_exchange_strong(known, address) || known == address) return &barrier;
  }
  return nullptr;  // too many: their generations are one, which orders more than there is
}

// Of the calling thread's arrival: what stands for its generation.
const void* generation_of(const void* address) {
  Barrier* barrier = find_barrier(address, false);
  const uint32_t count = barrier == nullptr ? 0 : barrier->count.load(std::memory_order_relaxed);
  if (count == 0) return address;
  const uint64_t generation = barrier->arrivals.fetch_add(1, std::memory_order_relaxed) / count;
  constexpr unsigned kAboveAddresses = 48;
  return reinterpret_cast<const void*>(object_at(address) | generation << kAboveAddresses);
}

}  // namespace

NORN_INTERPOSE(int, pthread_barrier_init,
               (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count)) {
  const int result = real_pthread_barrier_init(barrier, attributes, count);
  Barrier* known = result == 0 ? find_barrier(barrier, true) : nullptr;
  if (known != nullptr) {
    known->arrivals.store(0, std::memory_order_relaxed);
    known->count.store(count, std::memory_order_relaxed);
  }
  return result;
}
NORN_INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  const void* generation = generation_of(barrier);
  before_release(generation);
  const Waiting waiting;
  const int result = real_pthread_barrier_wait(barrier);
  after_acquire(generation);
  return result;
}

NORN_THIN(int, sem_post, (sem_t * semaphore), (semaphore)) {
  armed_call();
  before_release(semaphore);
  return real_sem_post(semaphore);
}
NORN_INTERPOSE(int, sem_wait, (sem_t * semaphore)) {
  const Waiting waiting;
  return took_lock(semaphore, real_sem_wait(semaphore), true);
}
NORN_THIN(int, sem_trywait, (sem_t * semaphore), (semaphore)) {
  armed_call();
  return took_lock(semaphore, real_sem_trywait(semaphore), true);
}
NORN_INTERPOSE(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  return took_lock(semaphore, real_sem_timedwait(semaphore, until), true);
}
NORN_INTERPOSE(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  return took_lock(semaphore, real_sem_clockwait(semaphore, clock, until), true);
}
// A count that somebody raised.
NORN_INTERPOSE(int, sem_getvalue, (sem_t * semaphore, int* value)) {
  return took_lock(semaphore, real_sem_getvalue(semaphore, value), true);
}

// --- streams -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(void, flockfile, (FILE * file)) {
  real_flockfile(file);
  after_acquire(file);
}
NORN_INTERPOSE(int, ftrylockfile, (FILE * file)) { return took_lock(file, real_ftrylockfile(file), true); }
NORN_INTERPOSE(void, funlockfile, (FILE * file)) {
  before_release(file);
  real_funlockfile(file);
}
