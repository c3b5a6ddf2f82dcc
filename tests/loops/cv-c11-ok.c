// Condition variable: the same in C11 threads.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <threads.h>

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
  mtx_lock(&guard);
  while (!ready) cnd_wait(&changed, &guard);
  mtx_unlock(&guard);
  x = 2;
}

int main(void) {
  mtx_init(&guard, mtx_plain);
  cnd_init(&changed);
  meet(waits, announces);
}
