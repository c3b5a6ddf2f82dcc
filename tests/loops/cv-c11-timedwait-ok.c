// Condition variable: C11 threads, a wait with a time limit in a loop that only the condition ends.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <threads.h>
#include <time.h>

#include "arrival.h"

mtx_t guard;
cnd_t changed;
int ready;
int x;

static void announces(void) {
  x = 1;
  mtx_lock(&guard);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&guard);
}

static void waits(void) {
  struct timespec limit;
  timespec_get(&limit, TIME_UTC);
  limit.tv_sec += 60;
  mtx_lock(&guard);
  while (!ready) cnd_timedwait(&changed, &guard, &limit);
  mtx_unlock(&guard);
  x = 2;
}

int main(void) {
  mtx_init(&guard, mtx_plain);
  cnd_init(&changed);
  meet(waits, announces);
}
