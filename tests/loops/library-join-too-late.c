// Library: main looks at the result before it joins.
// RUN: %check %s

#include <stddef.h>

#include "arrival.h"

int x;
int seen;

static void* writes(void* unused) {
  (void)unused;
  x = 1;  // RACE: observed x
  end_turn();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  await_turn(1);
  seen = x;  // RACE: observed x
  pthread_join(thread, NULL);
}
