// Of two loops of one place in the source, one may read more in each turn (the compiler makes such copies). What the
// other one was told of stands for less. The hook is called by hand: which copies there are is the optimiser's choice.
// RUN: %check %s

#include <stdint.h>

#include "../../include/norn/abi.h"
#include "order.h"

enum { kRows = 16, kColumns = 32 };
double cells[kRows * kColumns];
static const norn_site site = {__FILE__, NULL, "sums()", "cells[]", NULL, 18, 1, 1, NORN_SITE_READ, 0, 8, 0};

static void sums(void) {
  const uint64_t row = kColumns * sizeof(double);
  cells[kColumns - 1] = 1;  // there is a shadow word of this time
  if (!__norn_run_read(cells, kRows, row, sizeof(double), &site)) abort();
  if (!__norn_run_read(cells, kRows, row, 4 * sizeof(double), &site)) abort();  // RACE: observed cells
  end_turn();
}

static void writes(void) {
  await_turn(1);
  cells[3 * kColumns + 3] = 1;  // RACE: observed cells
}

int main(void) { run_two(sums, writes); }
