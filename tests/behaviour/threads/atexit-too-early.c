// What is done after a function was registered is not before what it does at the program's end.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int x, y;

static void at_end(void) {
  x++;  // RACE: observed x
}

static void at_end_too(int status, void* unused) {
  (void)status;
  (void)unused;
  y++;  // RACE: observed y
}

static void* registers(void* unused) {
  atexit(at_end);
  on_exit(at_end_too, NULL);
  x++;  // RACE: observed x
  y++;  // RACE: observed y
  end_turn();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, registers, NULL);
  pthread_detach(thread);
  await_turn(1);
}
