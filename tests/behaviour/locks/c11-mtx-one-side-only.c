// C11: a mutex that only one side takes.
// RUN: %check %s

#include <threads.h>

#include "order.h"

mtx_t mutex;
int x;

static int locked(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  x = 1;  // RACE: observed x
  mtx_unlock(&mutex);
  end_turn();
  return 0;
}

static int unlocked(void* unused) {
  (void)unused;
  await_turn(1);
  x = 2;  // RACE: observed x
  return 0;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&mutex, mtx_plain);
  thrd_create(&a, locked, NULL);
  thrd_create(&b, unlocked, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
