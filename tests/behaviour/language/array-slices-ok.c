// Each thread has its slice of an array.
// NORACE
// RUN: %check %s

#include "order.h"

int cells[100];

static void lower(void) {
  for (int i = 0; i < 50; i++) cells[i] += i;
}

static void upper(void) {
  for (int i = 50; i < 100; i++) cells[i] += i;
}

int main(void) { run_two(lower, upper); }
