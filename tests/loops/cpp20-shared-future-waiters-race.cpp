// Who shares a future is ordered after the promise, not with the others.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

std::promise<void> promise;
std::shared_future<void> shared = promise.get_future().share();
int x, y;

static void keeps() {
  x = 1;
  promise.set_value();
}

static void first() {
  shared.wait();
  y = x;  // RACE: observed y
}

static void second() {
  const std::shared_future<void> mine = shared;
  mine.wait();
  y = 2 * x;  // RACE: observed y
}

int main() {
  const Body waiters[] = {first, second};
  const Body counterparts[] = {keeps};
  meet_many(waiters, 2, counterparts, 1);
}
