// Two threads add to a queue of two places. Who finds it full empties it, which takes the lock a second time; only if
// both added before either looked does that happen.
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=none
// FOUND-BY: random pct pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int queued;

static void empty_queue(void) {
  pthread_mutex_lock(&mutex);
  queued = 0;
  pthread_mutex_unlock(&mutex);
}

static void* add(void* self) {
  pthread_mutex_lock(&mutex);
  ++queued;
  pthread_mutex_unlock(&mutex);
  step((int)(size_t)self);
  after_step(2);
  pthread_mutex_lock(&mutex);
  if (queued == 2) empty_queue();
  if (queued > 0) --queued;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) { RUN(add, add); }
