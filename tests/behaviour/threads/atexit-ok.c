// What was done before a function was registered to be called at the program's end comes before what it does.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int x, y;

static void at_end(void) { x++; }

static void at_end_too(int status, void* number) {
  (void)status;
  ++*(int*)number;
}

static void* registers(void* unused) {
  x++;
  atexit(at_end);
  y++;
  on_exit(at_end_too, &y);
  end_turn();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, registers, NULL);
  pthread_detach(thread);
  await_turn(1);
}
