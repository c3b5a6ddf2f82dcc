// C11: a timed lock that timed out is no lock.
// RUN: %check %s

#include <threads.h>
#include <time.h>

#include "order.h"

mtx_t mutex;
int x;

static int holds(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  mtx_unlock(&mutex);
  return 0;
}

static int gives_up(void* unused) {
  (void)unused;
  await_turn(1);
  struct timespec past = {0, 0};
  if (mtx_timedlock(&mutex, &past) == thrd_timedout) x = 2;  // RACE: observed x
  end_turn();
  return 0;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&mutex, mtx_timed);
  thrd_create(&a, holds, NULL);
  thrd_create(&b, gives_up, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
