// C++20: an atomic_flag that is waited for.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

std::atomic_flag ready;
int x;

static void announces() {
  x = 1;
  ready.test_and_set(std::memory_order_release);
  ready.notify_one();
}

static void waits() {
  ready.wait(false, std::memory_order_acquire);
  x = 2;
}

int main() { meet(waits, announces); }
