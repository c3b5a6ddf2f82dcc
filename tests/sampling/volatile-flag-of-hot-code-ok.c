// A volatile flag is told in both copies: in hot code it orders as in cold code.
// STDOUT: 400
// NORACE

#include <sched.h>
#include <stdio.h>

#include "order.h"

enum { kRounds = 400 };
volatile int turn;
int count;

static __attribute__((noinline)) void pass_to(int other) { turn = other; }

static void play(int self) {
  for (int i = 0; i < kRounds / 2; ++i) {
    while (turn != self) sched_yield();
    ++count;
    pass_to(1 - self);
  }
}

static void first(void) { play(0); }
static void second(void) { play(1); }

int main(void) {
  run_two(first, second);
  printf("%d\n", count);
}
