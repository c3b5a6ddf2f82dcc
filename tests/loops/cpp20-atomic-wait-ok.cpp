// C++20: wait and notify of an atomic.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

std::atomic<int> stage;
int x;

static void announces() {
  x = 1;
  stage.store(1);
  stage.notify_one();
}

static void waits() {
  stage.wait(0);
  x = 2;
}

int main() { meet(waits, announces); }
