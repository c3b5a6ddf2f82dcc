// A cancelled thread's clean-up comes before who joins it.
// NORACE
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int x;

static void clean_up(void* unused) {
  (void)unused;
  x++;
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
  void* value;
  x = 1;
  pthread_create(&thread, NULL, waits, NULL);
  await_turn(1);
  pthread_cancel(thread);
  pthread_join(thread, &value);
  return value != PTHREAD_CANCELED || x != 2;
}
