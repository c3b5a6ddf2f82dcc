// wait_for gave up, and its answer is not looked at.
// RUN: %check %s

#include <chrono>
#include <future>

#include "order.h"

std::promise<void> promise;
std::future<void> future = promise.get_future();
int x;

static void sets() {
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  promise.set_value();
}

static void gives_up() {
  await_turn(1);
  future.wait_for(std::chrono::milliseconds(1));
  x = 2;  // RACE: observed x
  end_turn();
}

int main() { run_two(sets, gives_up); }
