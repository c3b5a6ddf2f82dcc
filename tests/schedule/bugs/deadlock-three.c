// Three locks taken in a circle by three threads.
// BUG: kind=deadlock preemptions=2 threads=3 shows=hang finding=deadlock
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER, cache = PTHREAD_MUTEX_INITIALIZER,
                       writer = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void with_both(pthread_mutex_t* first, pthread_mutex_t* second, int place) {
  pthread_mutex_lock(first);
  step(place);
  after_step(3);
  pthread_mutex_lock(second);
  __atomic_fetch_add(&work, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void* parse(void* unused) {
  with_both(&parser, &cache, 0);
  return unused;
}

static void* fill(void* unused) {
  with_both(&cache, &writer, 1);
  return unused;
}

static void* flush(void* unused) {
  with_both(&writer, &parser, 2);
  return unused;
}

int main(void) { RUN(parse, fill, flush); }
