// The result is read before the thread is joined.
// RUN: %check %s

#include "order.h"

int x;

static void* writes(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  await_turn(1);
  int seen = x;  // RACE: observed x
  pthread_join(thread, NULL);
  return seen != 1;
}
