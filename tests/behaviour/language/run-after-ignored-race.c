// What a loop did while it was not to count does not stand for what it does after.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

double cells[64];
double before, result;

__attribute__((noinline)) static double total(const double* from, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += from[i];  // RACE: observed cells
  return all;
}

static void sums(void) {
  before = 1;
  ANNOTATE(IgnoreReadsBegin);
  result = total(cells, 40);
  ANNOTATE(IgnoreReadsEnd);
  result += total(cells, 40);
  end_turn();
}

static void writes(void) {
  await_turn(1);
  cells[39] = 1;  // RACE: observed cells
}

int main(void) { run_two(sums, writes); }
