// The simplest race, for the tests that are scripts.
#include "order.h"

int x;

static void first(void) {
  x = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;
}

int main(void) { run_two(first, second); }
