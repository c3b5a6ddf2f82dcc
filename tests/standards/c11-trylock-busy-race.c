// Statistics are updated if the mutex is free, and also if it is busy: what mtx_trylock returns is only used to know
// whether to unlock. A try that fails locks nothing and orders nothing (C11 7.26.4.5); the other thread holds the mutex
// until then, so the two updates are not ordered (C11 5.1.2.4p25).
// RUN: %check %s

#include <stdatomic.h>
#include <threads.h>

mtx_t mutex;
long requests;
atomic_int held, tried;

static int handles(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  atomic_store_explicit(&held, 1, memory_order_relaxed);
  // Keeps the mutex until the other has tried; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&tried, memory_order_relaxed)) thrd_yield();
  requests++;  // RACE: observed requests
  mtx_unlock(&mutex);
  return 0;
}

static int tries(void* unused) {
  (void)unused;
  while (!atomic_load_explicit(&held, memory_order_relaxed)) thrd_yield();
  int locked = mtx_trylock(&mutex) == thrd_success;
  atomic_store_explicit(&tried, 1, memory_order_relaxed);
  requests++;  // RACE: observed requests
  if (locked) mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  thrd_t first, second;
  if (mtx_init(&mutex, mtx_plain) != thrd_success) return 1;
  thrd_create(&first, handles, NULL);
  thrd_create(&second, tries, NULL);
  thrd_join(first, NULL);
  thrd_join(second, NULL);
  mtx_destroy(&mutex);
  return requests < 1;
}
