// A loop whose accesses are known when it begins, and one that touches a single element.
// RUN: %check %s

#include "order.h"

double cells[64];
double result;

__attribute__((noinline)) static double total(const double* from, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += from[i];  // RACE: observed cells
  return all;
}

static void sums(void) {
  result = total(cells, 40);
  end_turn();
}

static void writes(void) {
  await_turn(1);
  cells[39] = 1;  // RACE: observed cells
  cells[40] = 1;
}

int main(void) { run_two(sums, writes); }
