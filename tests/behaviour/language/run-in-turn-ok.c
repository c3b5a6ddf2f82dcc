// Two threads that go over the same rows in turn, each in its half, every other row at a time, a barrier between.
// NORACE
// RUN: %check %s

#include "order.h"

enum { kRows = 8, kColumns = 66 };
double grid[kRows][kColumns];
pthread_barrier_t barrier;

__attribute__((noinline)) static void relax(double* row, const double* above, const double* below) {
  for (int i = 1; i < kColumns - 1; ++i) row[i] += (above[i] + below[i] + row[i - 1] + row[i + 1]) / 4;
}

static void sweep(int begin, int end) {
  for (int round = 0; round < 20; ++round) {
    for (int row = begin; row < end; ++row) {
      if (row % 2 == round % 2) relax(grid[row], grid[row - 1], grid[row + 1]);
    }
    pthread_barrier_wait(&barrier);
  }
}

static void upper(void) { sweep(1, kRows / 2); }
static void lower(void) { sweep(kRows / 2, kRows - 1); }

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(upper, lower);
}
