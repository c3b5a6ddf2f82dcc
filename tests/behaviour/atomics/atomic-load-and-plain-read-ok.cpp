// An atomic load and a plain read: both only read.
// NORACE
// RUN: %check %s

#include "order.h"

int x = 1;
int seen[2];

int main() {
  run_two([] { seen[0] = __atomic_load_n(&x, __ATOMIC_RELAXED); }, [] { seen[1] = x; });
  return seen[0] + seen[1] != 2;
}
