// What a loop did to a block says nothing of the block that comes after it in the same place.
// RUN: %check %s

#include "order.h"

enum { kCells = 32 };
double* shared;

__attribute__((noinline)) static void fill(double* to, int n, double with) {
  for (int i = 0; i < n; ++i) to[i] = with;  // RACE: observed block[31]
}

static void fills(void) {
  for (int i = 0; i < 3; ++i) {
    double* block = (double*)malloc(kCells * sizeof(double));
    fill(block, kCells, i);
    if (i == 2) {
      shared = block;  // RACE: observed shared
    } else {
      free(block);
    }
  }
  end_turn();
}

static void writes(void) {
  await_turn(1);
  double* block = shared;  // RACE: observed shared
  block[kCells - 1] = 1;   // RACE: observed block[31]
}

int main(void) { run_two(fills, writes); }
