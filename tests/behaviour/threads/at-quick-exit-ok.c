// What was done before at_quick_exit() comes before what its function does.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int x;

static void at_end(void) { x++; }

static void* registers(void* unused) {
  x++;
  at_quick_exit(at_end);
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
