// Condition variable: C11 threads, a wait with a time limit; the data is written after the section that announces it.
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
  mtx_lock(&guard);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&guard);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  struct timespec limit;
  timespec_get(&limit, TIME_UTC);
  limit.tv_sec += 60;
  mtx_lock(&guard);
  while (!ready) cnd_timedwait(&changed, &guard, &limit);
  mtx_unlock(&guard);
  x = 2;  // RACE: observed x
}

int main(void) {
  mtx_init(&guard, mtx_plain);
  cnd_init(&changed);
  meet(waits, announces);
}
