// The end of a detached thread orders nothing.
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
  pthread_detach(thread);
  await_turn(1);
  x = 2;  // RACE: observed x
}
