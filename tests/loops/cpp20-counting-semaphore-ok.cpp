// C++20: a counting semaphore.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <semaphore>

#include "arrival.h"

std::counting_semaphore<4> ready(0);
int x;

static void announces() {
  x = 1;
  ready.release();
}

static void waits() {
  ready.acquire();
  x = 2;
}

int main() { meet(waits, announces); }
