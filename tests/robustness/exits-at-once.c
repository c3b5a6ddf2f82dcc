// Several threads end the process at the same moment.
// EXIT: 4
// RUN: %check %s

#include <stdatomic.h>
#include <unistd.h>

#include "order.h"

enum { kThreads = 8 };

int x;
atomic_int here;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

static void* ends(void* unused) {
  atomic_fetch_add(&here, 1);
  while (atomic_load(&here) < kThreads) continue;
  _exit(4);
  return unused;
}

int main(void) {
  run_two(first, second);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, ends, NULL);
  for (;;) pause();
}
