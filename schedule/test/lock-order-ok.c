// What looks like an inversion and is none: a gate, one thread alone, threads that never meet, tries, readers.
// RUN: %norn-cc %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d && %norn run -- %t 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: lock order

#include <pthread.h>

typedef pthread_mutex_t mutex_t;
static mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static mutex_t m[8] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER, s = PTHREAD_RWLOCK_INITIALIZER;

static void nest(mutex_t* outer, mutex_t* inner) {
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

static void* forward(void* unused) {
  pthread_mutex_lock(&gate);
  nest(&m[0], &m[1]);
  pthread_mutex_unlock(&gate);
  pthread_mutex_lock(&m[4]);
  if (pthread_mutex_trylock(&m[5]) == 0) pthread_mutex_unlock(&m[5]);
  pthread_mutex_unlock(&m[4]);
  pthread_rwlock_rdlock(&r);
  pthread_rwlock_rdlock(&s);
  pthread_rwlock_unlock(&s);
  pthread_rwlock_unlock(&r);
  nest(&m[6], &m[7]);
  return unused;
}

static void* backward(void* unused) {
  pthread_mutex_lock(&gate);
  nest(&m[1], &m[0]);
  pthread_mutex_unlock(&gate);
  nest(&m[2], &m[3]);
  nest(&m[3], &m[2]);
  nest(&m[5], &m[4]);
  pthread_rwlock_rdlock(&s);
  pthread_rwlock_rdlock(&r);
  pthread_rwlock_unlock(&r);
  pthread_rwlock_unlock(&s);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, forward, 0);
  pthread_create(&b, 0, backward, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  nest(&m[7], &m[6]);
  return 0;
}
