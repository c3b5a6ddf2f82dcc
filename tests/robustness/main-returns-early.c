// main returns while a detached thread still runs.
// EXIT: 2
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int x;

static void* writes(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  for (;;) pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  pthread_detach(thread);
  await_turn(1);
  x = 2;  // RACE: observed x
  return 2;
}
