// Two parts of an array are sorted at once.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int numbers[200];

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void first(void) { qsort(numbers, 100, sizeof *numbers, compare); }
static void second(void) { qsort(numbers + 100, 100, sizeof *numbers, compare); }

int main(void) {
  for (int i = 0; i < 200; i++) numbers[i] = 200 - i;
  run_two(first, second);
  return numbers[0] != 101 || numbers[199] != 100;
}
