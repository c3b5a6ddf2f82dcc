// How often another thread has executed a function does not make it hot: each thread has counts of its own.

#include "order.h"

enum { kRounds = 100000 };
int own[2];
int shared;

static __attribute__((noinline)) void touch(int* at) { *at += 1; }  // RACE: observed shared

static void first(void) {
  touch(&shared);
  for (int i = 0; i < kRounds; ++i) touch(&own[0]);
  end_turn();
}

static void second(void) {
  await_turn(1);
  touch(&shared);
}

int main(void) { run_two(first, second); }
