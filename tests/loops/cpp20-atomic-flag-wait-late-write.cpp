// C++20: an atomic_flag that is waited for; the data is written after it was set.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

std::atomic_flag ready;
int x;

static void announces() {
  ready.test_and_set(std::memory_order_release);
  ready.notify_one();
  x = 1;  // RACE: observed x
}

static void waits() {
  ready.wait(false, std::memory_order_acquire);
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
