// Locks of all kinds under control say what the library says.
// RUN: %norn-cc %s -o %t && %harmless
// RUN: %replays 2 %t

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t checks, counts, plain = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int shared;

static void* works(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&checks);
    assert(pthread_mutex_lock(&checks) == EDEADLK);
    shared++;
    pthread_mutex_unlock(&checks);
    assert(pthread_mutex_unlock(&checks) == EPERM);

    pthread_mutex_lock(&counts);
    assert(pthread_mutex_trylock(&counts) == 0);
    assert(pthread_mutex_lock(&counts) == 0);
    for (int k = 0; k < 3; k++) pthread_mutex_unlock(&counts);

    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    assert(pthread_rwlock_wrlock(&rwlock) == EDEADLK);
    pthread_rwlock_unlock(&rwlock);

    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  }
  return unused;
}

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 20000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
  }
  return time;
}

// Nobody gives it up before the time has come.
static void* is_late(void* unused) {
  const struct timespec until = soon();
  assert(pthread_mutex_timedlock(&plain, &until) == ETIMEDOUT);
  return unused;
}

static void* dies(void* unused) {
  pthread_mutex_lock(&robust);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checks, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&counts, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &kind);
  pthread_spin_init(&spin, 0);
  pthread_t threads[3], late, dead;
  pthread_mutex_lock(&plain);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, works, 0);
  pthread_create(&late, 0, is_late, 0);
  pthread_join(late, 0);
  pthread_mutex_unlock(&plain);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  pthread_create(&dead, 0, dies, 0);
  pthread_join(dead, 0);
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
  pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);
  printf("%d\n", shared);
  return 0;
}
