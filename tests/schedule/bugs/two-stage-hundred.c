// Two values that belong together are each under a lock of its own; a reader among a hundred threads sees the first
// without the second.
// After the "two-stage access" of von Praun and Gross, "Static Detection of Atomicity Violations in Object-Oriented
// Programs" (JOT 2004), and twostage_100 of SCTBench (Thomson, Donaldson, Betts, PPoPP 2014).
// BUG: kind=atomicity-multi preemptions=1 threads=100 shows=assertion finding=none
// RUN: %show %s
#include "bug.h"

enum { kThreads = 100 };
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void* write_both(void* self) {
  (void)self;
  pthread_mutex_lock(&first_lock);
  first = 1;
  pthread_mutex_unlock(&first_lock);
  step(0);
  after_step(2);
  pthread_mutex_lock(&second_lock);
  second = first + 1;
  pthread_mutex_unlock(&second_lock);
  return NULL;
}

static void* read_both(void* self) {
  (void)self;
  after_step(1);
  pthread_mutex_lock(&first_lock);
  const int one = first;
  pthread_mutex_unlock(&first_lock);
  if (one == 0) return NULL;
  pthread_mutex_lock(&second_lock);
  const int other = second;
  pthread_mutex_unlock(&second_lock);
  assert(other == one + 1);
  step(1);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, i < 99 ? write_both : read_both, NULL);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}
