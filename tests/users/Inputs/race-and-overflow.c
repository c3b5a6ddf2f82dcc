// A race and, apart from it, a signed overflow.
#include <limits.h>

#include "order.h"

int x;
volatile int large = INT_MAX;

static void first(void) {
  x = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;
}

int main(void) {
  run_two(first, second);
  large = large + 1;
  return 0;
}
