// A promise is kept before or after its future is asked for; two threads share the future.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

std::promise<int> promise;
std::shared_future<int> shared = promise.get_future().share();
int x;
int seen[2];

static void keeps() {
  x = 1;
  promise.set_value(1);
}

static void first() { seen[0] = shared.get() + x; }

static void second() {
  const std::shared_future<int> mine = shared;
  mine.wait();
  seen[1] = x;
}

int main() {
  const Body waiters[] = {first, second};
  const Body counterparts[] = {keeps};
  meet_many(waiters, 2, counterparts, 1);
}
