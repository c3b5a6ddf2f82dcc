// Flag: an atomic one needs no word.
// NORACE
// NO-FLAGS
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

std::atomic<bool> stop;
int result;

static void works() {
  while (!stop.load(std::memory_order_acquire)) {
  }
  result++;
}

static void stops() {
  result = 41;
  stop.store(true, std::memory_order_release);
}

int main() { meet(works, stops); }
