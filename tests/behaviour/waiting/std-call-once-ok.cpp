// All who pass call_once come after its initialiser.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::once_flag once;
int x;
int sums[2];

static int get() {
  std::call_once(once, [] { x = 7; });
  return x;
}

int main() {
  run_two([] { sums[0] = get(); }, [] { sums[1] = get(); });
  return sums[0] + sums[1] != 14;
}
