// C11: what is written after the signal is not ordered before the waiter.
// RUN: %check %s

#include <threads.h>

#include "order.h"

mtx_t mutex;
cnd_t changed;
int ready;
int x;

static int waits(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  end_turn();
  while (!ready) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  await_turn(2);
  x = 2;  // RACE: observed x
  return 0;
}

static int signals(void* unused) {
  (void)unused;
  await_turn(1);
  mtx_lock(&mutex);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
  return 0;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  thrd_create(&a, waits, NULL);
  thrd_create(&b, signals, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
