// Home-made queue for one producer and one consumer: each has its index, and looks at the other's.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { kSlots = 2, kItems = 8 };
static volatile unsigned head, tail;
int slots[kSlots];
int sum;

static void produces(void) {
  for (int i = 0; i < kItems; ++i) {
    while (head - tail == kSlots) {
    }
    compiler_barrier();
    slots[head % kSlots] = i;
    compiler_barrier();
    head = head + 1;
  }
}

static void consumes(void) {
  for (int i = 0; i < kItems; ++i) {
    while (head == tail) {
    }
    compiler_barrier();
    sum += slots[tail % kSlots];
    compiler_barrier();
    tail = tail + 1;
  }
}

int main(void) {
  run_two(produces, consumes);
  return sum - 28;
}
