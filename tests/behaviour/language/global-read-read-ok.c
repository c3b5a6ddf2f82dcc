// Reads alone never race.
// NORACE
// RUN: %check %s

#include "order.h"

int x = 3;
int sums[2];

static void first(void) {
  for (int i = 0; i < 100; i++) sums[0] += x;
}

static void second(void) {
  for (int i = 0; i < 100; i++) sums[1] += x;
}

int main(void) {
  run_two(first, second);
  return sums[0] + sums[1] != 600;
}
