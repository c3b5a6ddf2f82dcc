// Who ran a packaged task goes on after it.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

int x;
std::packaged_task<void()> task([] {});
std::future<void> result = task.get_future();

static void runs() {
  task();
  x = 1;  // RACE: observed x
}

static void waits() {
  result.get();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, runs); }
