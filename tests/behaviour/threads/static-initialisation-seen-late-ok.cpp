// The second thread finds the static initialised and only reads its guard.
// NORACE
// RUN: %check %s

#include "order.h"

struct Table {
  explicit Table(int first) : entry(first) {}
  int entry;
};

static Table& table() {
  static Table instance(7);
  return instance;
}

int sums[2];

static void first() {
  sums[0] = table().entry;
  end_turn();
}

static void second() {
  await_turn(1);
  sums[1] = table().entry;
}

int main() {
  run_two(first, second);
  return sums[0] + sums[1] != 14;
}
