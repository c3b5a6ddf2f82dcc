// C11: a waiter comes after the signal that woke it.
// NORACE
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
  x++;
  return 0;
}

static int signals(void* unused) {
  (void)unused;
  await_turn(1);
  x = 1;
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
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
  return x != 2;
}
