// A static of a function is initialised once, before all who use it.
// NORACE
// RUN: %check %s

#include "order.h"

struct Table {
  Table() {
    for (int i = 0; i < 16; i++) entries[i] = i;
  }
  int entries[16];
};

static Table& table() {
  static Table instance;
  return instance;
}

int sums[2];

int main() {
  run_two([] { sums[0] = table().entries[3]; }, [] { sums[1] = table().entries[3]; });
  return sums[0] + sums[1] != 6;
}
