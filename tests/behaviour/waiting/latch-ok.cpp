// All who count a latch down come before all who wait for it.
// NORACE
// RUN: %check %s

#include <latch>

#include "order.h"

std::latch latch(2);
int x, y;
int sums[2];

int main() {
  run_two(
      [] {
        x = 1;
        latch.arrive_and_wait();
        sums[0] = x + y;
      },
      [] {
        y = 1;
        latch.count_down();
        latch.wait();
        sums[1] = x + y;
      });
  return sums[0] + sums[1] != 4;
}
