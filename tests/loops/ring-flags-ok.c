// Home-made queue for one producer and one consumer: each slot has a flag.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { kSlots = 2, kItems = 8 };
static volatile int full[kSlots];
int slots[kSlots];
int sum;

static void produces(void) {
  for (int i = 0; i < kItems; ++i) {
    const int at = i % kSlots;
    while (full[at]) {
    }
    compiler_barrier();
    slots[at] = i;
    compiler_barrier();
    full[at] = 1;
  }
}

static void consumes(void) {
  for (int i = 0; i < kItems; ++i) {
    const int at = i % kSlots;
    while (!full[at]) {
    }
    compiler_barrier();
    sum += slots[at];
    compiler_barrier();
    full[at] = 0;
  }
}

int main(void) {
  run_two(produces, consumes);
  return sum - 28;
}
