// Flag: the waiter puts the flag back, and who set it waits for that: a mailbox for one letter.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int full;
int letter, sum;

static void sends(void) {
  for (int i = 1; i <= 4; ++i) {
    while (full) {
    }
    compiler_barrier();
    letter = i;
    compiler_barrier();
    full = 1;
  }
}

static void receives(void) {
  for (int i = 0; i < 4; ++i) {
    while (!full) {
    }
    compiler_barrier();
    sum += letter;
    compiler_barrier();
    full = 0;
  }
}

int main(void) {
  run_two(sends, receives);
  return sum - 10;
}
