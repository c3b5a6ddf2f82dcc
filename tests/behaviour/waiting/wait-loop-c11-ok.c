// C11's condition variables, signalled before anybody waits.
// NORACE
// REQUIRES-HEADER: threads.h
// RUN: %check-loops %s

#include <threads.h>

#include "order.h"

mtx_t mutex;
cnd_t changed;
int ready;
int x;

static void signals(void) {
  x = 1;
  mtx_lock(&mutex);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  end_turn();
}

static void comes_late(void) {
  await_turn(1);
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  x = 2;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  run_two(signals, comes_late);
}
