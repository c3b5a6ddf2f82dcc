// Two threads append to one vector.
// RUN: %check %s

#include <vector>

#include "order.h"

std::vector<int> numbers;

static void first() {
  numbers.push_back(1);  // RACE: observed <numbers>
  end_turn();
}

static void second() {
  await_turn(1);
  numbers.push_back(2);  // RACE: observed <numbers>
}

int main() {
  numbers.reserve(10);
  run_two(first, second);
}
