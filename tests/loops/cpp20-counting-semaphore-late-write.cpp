// C++20: the semaphore is released before the write it should announce.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <semaphore>

#include "arrival.h"

std::counting_semaphore<4> ready(0);
int x;

static void announces() {
  ready.release();
  x = 1;  // RACE: observed x
}

static void waits() {
  ready.acquire();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
