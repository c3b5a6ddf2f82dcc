// Each thread counts in a counter of its own, found by a key; main adds up while they count, before it has joined them.
// The counters are plain: main's reads and the threads' writes are not ordered (C11 5.1.2.4p25). The total, which the
// destructors make under a mutex and main reads after the joins, is right.
// RUN: %check %s

#include <pthread.h>
#include <stdatomic.h>

struct counter {
  long value;
};

struct counter counters[2];
pthread_key_t key;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long total;

static void count(void) {
  struct counter* counter = pthread_getspecific(key);
  counter->value++;  // RACE: observed counters
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
    live += counters[i].value;  // RACE: observed counters
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return live > 100 || total != 100;
}
