// C++20: the data is written after the atomic that announces it.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

std::atomic<int> stage;
int x;

static void announces() {
  stage.store(1);
  stage.notify_one();
  x = 1;  // RACE: observed x
}

static void waits() {
  stage.wait(0);
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
