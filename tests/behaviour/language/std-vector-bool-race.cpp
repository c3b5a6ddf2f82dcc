// Different elements of a vector<bool> share a word.
// RUN: %check %s

#include <vector>

#include "order.h"

std::vector<bool> bits(64);

static void first() {
  bits[3] = true;  // RACE: observed <bits>
  end_turn();
}

static void second() {
  await_turn(1);
  bits[4] = true;  // RACE: observed <bits>
}

int main() { run_two(first, second); }
