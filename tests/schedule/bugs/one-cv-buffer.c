// A buffer of one place with one condition variable and single signals: a consumer wakes the other consumer, which
// waits again, and everybody sleeps.
// BUG: kind=lost-wakeup preemptions=0 threads=4 shows=hang finding=none
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

// Changes `full` from one state to the other as soon as it is in the first.
static void change(int from, int first_step) {
  pthread_mutex_lock(&mutex);
  while (full != from) {
    step(first_step);
    pthread_cond_wait(&changed, &mutex);
  }
  full = !from;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void* produce(void* self) {
  after_step(self == NULL ? 2 : 3);
  change(0, 2);
  return NULL;
}

static void* consume(void* self) {
  after_step(self == (void*)1 ? 0 : 1);
  change(1, self == (void*)1 ? 0 : 1);
  return NULL;
}

int main(void) { RUN(produce, consume, produce, consume); }
