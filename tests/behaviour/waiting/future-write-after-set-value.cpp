// What is written after set_value is not handed over.
// RUN: %check %s

#include <future>

#include "order.h"

std::promise<void> promise;
int x;

static void sets() {
  promise.set_value();
  x = 1;  // RACE: observed x
  end_turn();
}

static void gets() {
  promise.get_future().get();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() { run_two(sets, gets); }
