// Two threads change different elements of one vector.
// NORACE
// RUN: %check %s

#include <vector>

#include "order.h"

std::vector<int> numbers(100);

int main() {
  run_two(
      [] {
        for (size_t i = 0; i < 50; i++) numbers[i]++;
      },
      [] {
        for (size_t i = 50; i < 100; i++) numbers[i]++;
      });
}
