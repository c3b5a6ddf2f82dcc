// Very many threads, one after the other: 10,000, or 200,000 if NORN_TEST_FULL is set.
// STDOUT: all
// RUN: %check %s

#include <stdio.h>
#include <stdlib.h>

#include "order.h"

int count;
int x;

static void* adds(void* unused) {
  count++;
  return unused;
}

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  int threads = getenv("NORN_TEST_FULL") ? 200000 : 10000;
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, adds, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  run_two(first, second);
  puts(count == threads ? "all" : "some");
}
