// C++20: a binary semaphore, tried with a time limit until it is there.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <chrono>
#include <semaphore>

#include "arrival.h"

std::binary_semaphore ready(0);
int x;

static void announces() {
  x = 1;
  ready.release();
}

static void waits() {
  while (!ready.try_acquire_for(std::chrono::seconds(60))) {
  }
  x = 2;
}

int main() { meet(waits, announces); }
