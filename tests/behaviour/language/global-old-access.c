// Many other accesses, by both threads, stand between the two that race.
// RUN: %check %s

#include "order.h"

int x;
int others[2][4096];

static void first(void) {
  x = 1;  // RACE: observed x
  for (int i = 0; i < 100000; i++) others[0][i % 4096]++;
  end_turn();
}

static void second(void) {
  await_turn(1);
  for (int i = 0; i < 100000; i++) others[1][i % 4096]++;
  x = 2;  // RACE: observed x
}

int main(void) { run_two(first, second); }
