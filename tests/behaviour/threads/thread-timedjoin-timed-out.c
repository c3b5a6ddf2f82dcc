// A join that timed out joined nothing.
// RUN: %check %s

#include <errno.h>
#include <time.h>

#include "order.h"

int x;

static void* writes(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec past = {0, 0};
  pthread_create(&thread, NULL, writes, NULL);
  await_turn(1);
  if (pthread_timedjoin_np(thread, NULL, &past) == ETIMEDOUT) x = 2;  // RACE: observed x
  end_turn();
  pthread_join(thread, NULL);
}
