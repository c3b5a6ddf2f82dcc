// Two neighbouring values of sixteen bytes.
// NORACE
// RUN: %check %s

#include "order.h"

__int128 numbers[2];

static void first(void) {
  for (int i = 0; i < 100; i++) numbers[0] += i;
}

static void second(void) {
  for (int i = 0; i < 100; i++) numbers[1] += i;
}

int main(void) { run_two(first, second); }
