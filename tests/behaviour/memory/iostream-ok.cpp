// The standard streams may be used by all threads.
// NORACE
// STDOUT: one 1
// STDOUT: two 2
// RUN: %check %s

#include <iostream>

#include "order.h"

int main() {
  run_two(
      [] {
        std::cout << "one " << 1 << std::endl;
        end_turn();
      },
      [] {
        await_turn(1);
        std::cout << "two " << 2 << std::endl;
      });
}
