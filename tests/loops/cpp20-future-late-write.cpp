// The data is written after the promise was kept.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

std::promise<void> promise;
std::future<void> future = promise.get_future();
int x;

static void keeps() {
  promise.set_value();
  x = 1;  // RACE: observed x
}

static void waits() {
  future.wait();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, keeps); }
