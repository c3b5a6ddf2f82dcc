// A static variable of a function is a global with a short name.
// RUN: %check %s

#include "order.h"

static int next_number(void) {
  static int last_number;
  return ++last_number;  // RACE: observed last_number
}

static void first(void) {
  next_number();
  end_turn();
}

static void second(void) {
  await_turn(1);
  next_number();
}

int main(void) {
  run_two(first, second);
  return next_number() != 3;
}
