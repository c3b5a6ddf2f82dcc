// Two threads that race all the time in loops and functions that run hot: the first executions are looked at, in each
// thread.

#include "order.h"

enum { kRounds = 100000 };
int hits;
int cells[1000];

static __attribute__((noinline)) void hit(void) { hits++; }  // RACE: observed hits

static __attribute__((noinline)) void work(void) {
  for (int i = 0; i < kRounds; ++i) {
    hit();
    for (int j = 0; j < 3; ++j) cells[(i + j) % 1000] = i;  // RACE: observed cells
  }
}

static void first(void) {
  work();
  end_turn();
}

static void second(void) {
  await_turn(1);
  work();
}

int main(void) { run_two(first, second); }
