// async runs beside its caller until it is asked for its result.
// RUN: %check %s

#include <future>

#include "order.h"

int x;

int main() {
  auto task = std::async(std::launch::async, [] {
    x = 1;  // RACE: observed x
    end_turn();
  });
  await_turn(1);
  x = 2;  // RACE: observed x
  task.get();
}
