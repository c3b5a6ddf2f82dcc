// A thread reads its own handle, which its creator stores after the creation.
// BUG: kind=order preemptions=1 threads=2 shows=crash finding=race:pool
// FOUND-BY: random race-directed pct pos
// RUN: %show %s
// RUN: %found %s
#include <stdlib.h>

#include "bug.h"

typedef struct {
  pthread_t thread;
  int jobs;
} Worker;

static struct {
  Worker* workers[1];
} pool;

static void* work(void* unused) {
  compute();
  pool.workers[0]->jobs = 1;
  step(0);
  return unused;
}

static Worker* new_worker(void) {
  Worker* worker = calloc(1, sizeof(Worker));
  pthread_create(&worker->thread, NULL, work, NULL);
  return worker;
}

int main(void) {
  Worker* worker = new_worker();
  step(1);
  pool.workers[0] = worker;
  pthread_join(worker->thread, NULL);
  free(worker);
}
