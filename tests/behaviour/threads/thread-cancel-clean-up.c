// A cancelled thread's clean-up runs beside the canceller.
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int x;

static void clean_up(void* unused) {
  (void)unused;
  x = 1;  // RACE: observed x
  end_turn();
}

static void* waits(void* unused) {
  pthread_cleanup_push(clean_up, NULL);
  end_turn();
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  await_turn(1);
  pthread_cancel(thread);
  await_turn(2);
  x = 2;  // RACE: observed x
  pthread_join(thread, NULL);
}
