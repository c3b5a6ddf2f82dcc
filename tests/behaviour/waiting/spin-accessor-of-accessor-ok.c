// The condition is a call of a function that calls another one, with the object passed along.
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
struct Gate {
  int other;
  volatile int open;
};
struct Gate gates[2];

__attribute__((noinline)) static int state_of(const struct Gate* gate) { return gate->open; }
__attribute__((noinline)) static int is_open(const struct Gate* gate) { return state_of(gate) == 3; }

static void sets(void) {
  early = 1;
  gates[0].open = 3;
  end_turn();
  await_turn(2);
  late = 1;
  gates[1].open = 3;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!is_open(&gates[0])) come_round(&rounds);
  early = 2;
  while (!is_open(&gates[1])) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
