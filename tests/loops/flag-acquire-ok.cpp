// Flag: as C++ means it, release and acquire.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <atomic>

#include "arrival.h"

std::atomic<bool> flag;
int x;

static void sets() {
  x = 1;
  flag.store(true, std::memory_order_release);
}

static void waits() {
  while (!flag.load(std::memory_order_acquire)) {
  }
  x = 2;
}

int main() { meet(waits, sets); }
