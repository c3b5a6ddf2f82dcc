// Two threads that got the same shared future are not ordered with each other.
// RUN: %check %s

#include <future>

#include "order.h"

std::promise<void> promise;
std::shared_future<void> future = promise.get_future().share();
int x;

static void first() {
  future.get();
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  future.get();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() {
  promise.set_value();
  run_two(first, second);
}
