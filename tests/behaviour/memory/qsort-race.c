// qsort moves what it sorts.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int numbers[] = {5, 4, 3, 2, 1};
int seen;

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void sorts(void) {
  qsort(numbers, 5, sizeof *numbers, compare);  // RACE: observed numbers
  end_turn();
}

static void looks(void) {
  await_turn(1);
  seen = numbers[2];  // RACE: observed numbers
}

int main(void) { run_two(sorts, looks); }
