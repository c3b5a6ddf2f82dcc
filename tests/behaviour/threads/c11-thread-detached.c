// C11: the end of a detached thread orders nothing.
// RUN: %check %s

#include <threads.h>

#include "order.h"

int x;

static int writes(void* unused) {
  (void)unused;
  x = 1;  // RACE: observed x
  end_turn();
  return 0;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, writes, NULL);
  thrd_detach(thread);
  await_turn(1);
  x = 2;  // RACE: observed x
}
