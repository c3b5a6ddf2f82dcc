// A thread is started before what it needs is there; its start is so slow that nobody notices.
// BUG: kind=order preemptions=1 threads=2 shows=crash finding=race:settings
// RUN: %show %s
#include "bug.h"

typedef struct {
  int verbose;
} Settings;

static Settings defaults = {1};
Settings* settings;  // not static: the compiler would know all of its values

static void* work(void* unused) {
  compute();
  step(0);
  if (settings->verbose) settings->verbose = 0;
  step(1);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  step(2);
  settings = &defaults;
  pthread_join(worker, NULL);
}
