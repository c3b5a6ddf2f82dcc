// Each thread counts in a counter of its own, found by a key; main adds up while they count, and the counters are
// atomics, which do not race (C11 5.1.2.4). At its end a thread's destructor adds its counter to the total under a
// mutex (POSIX.1-2017, XBD 4.12).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdatomic.h>

struct counter {
  atomic_long value;
};

struct counter counters[2];
pthread_key_t key;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long total;

static void count(void) {
  struct counter* counter = pthread_getspecific(key);
  counter->value++;
}

static void finish(void* argument) {
  struct counter* counter = argument;
  pthread_mutex_lock(&mutex);
  total += counter->value;
  pthread_mutex_unlock(&mutex);
}

static void* works(void* counter) {
  pthread_setspecific(key, counter);
  for (int i = 0; i < 50; i++) count();
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  long live = 0;
  if (pthread_key_create(&key, finish) != 0) return 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, works, &counters[i]);
  for (int i = 0; i < 2; i++) {
    live += counters[i].value;
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return live > 100 || total != 100;
}
