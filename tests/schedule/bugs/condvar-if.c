// A consumer tests with `if` before it waits; woken, it finds that another consumer was faster.
// BUG: kind=condvar-if preemptions=1 threads=3 shows=assertion finding=none
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* produce(void* unused) {
  for (int i = 0; i < 2; ++i) {
    step(i == 0 ? 1 : 6);
    pthread_mutex_lock(&mutex);
    ++items;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    step(2);
  }
  return unused;
}

static void* consume(void* self) {
  if (self == (void*)2) step(3);
  pthread_mutex_lock(&mutex);
  if (items == 0) wait_in_steps(&filled, &mutex, 0, 5);
  assert(items > 0);
  --items;
  pthread_mutex_unlock(&mutex);
  step(4);
  return NULL;
}

int main(void) { RUN(produce, consume, consume); }
