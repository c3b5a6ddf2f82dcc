// What is done after at_quick_exit() is not before what its function does.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int x;

static void at_end(void) {
  x++;  // RACE: observed x
}

static void* registers(void* unused) {
  at_quick_exit(at_end);
  x++;  // RACE: observed x
  end_turn();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, registers, NULL);
  pthread_detach(thread);
  await_turn(1);
  quick_exit(0);
}
