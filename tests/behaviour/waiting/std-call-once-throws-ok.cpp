// call_once, with an initialiser that throws the first time.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::once_flag once;
int attempts;
int x;
int sums[2];

static int get() {
  for (;;) {
    try {
      std::call_once(once, [] {
        x = 7;
        if (attempts++ == 0) throw 1;
      });
      return x;
    } catch (int) {
    }
  }
}

int main() {
  run_two([] { sums[0] = get(); }, [] { sums[1] = get(); });
  return sums[0] + sums[1] != 14;
}
