// Flags that a loop sets one after the other, with data of each: who waits for one, as all know before the loop begins,
// has no right to the data of the next ones.
// ARRIVAL: waiter
// RUN: %check %s

#include "arrival.h"

enum { kCells = 64 };
int flags[kCells];
int data[kCells];

__attribute__((noinline)) static void set(int* to, int* values, int n) {
  for (int i = 0; i < n; ++i) {
    to[i] = 1;
    values[i] = i;  // RACE: observed data
  }
}

static void sets(void) { set(flags, data, kCells); }

static void waits(void) {
  const volatile int* flag = &flags[20];
  while (!*flag) {
  }
  compiler_barrier();
  data[60] = 1;  // RACE: observed data
}

int main(void) { meet(waits, sets); }
