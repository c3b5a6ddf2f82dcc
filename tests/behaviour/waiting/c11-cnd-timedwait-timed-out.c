// C11: a timed wait that timed out is ordered after no signal.
// RUN: %check %s

#include <threads.h>
#include <time.h>

#include "order.h"

mtx_t mutex;
cnd_t changed;
int x;

static int waits(void* unused) {
  (void)unused;
  await_turn(1);
  struct timespec past = {0, 0};
  mtx_lock(&mutex);
  int outcome = cnd_timedwait(&changed, &mutex, &past);
  mtx_unlock(&mutex);
  if (outcome == thrd_timedout) x = 2;  // RACE: observed x
  return 0;
}

static int signals(void* unused) {
  (void)unused;
  x = 1;  // RACE: observed x
  cnd_signal(&changed);
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
