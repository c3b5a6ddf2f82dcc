// No spin: a sum over what another thread writes.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

int numbers[8];
int sum;

static void writes(void) {
  for (int i = 0; i < 8; ++i) numbers[i] = i;  // RACE: observed numbers
  end_turn();
}

static void sums(void) {
  await_turn(1);
  for (int i = 0; i < 8; ++i) sum += numbers[i];  // RACE: observed numbers
}

int main(void) { run_two(writes, sums); }
