// A loop that waits inside one that goes on: the optimiser makes one loop of both, which waits on one way round and
// writes the flag on the other.
// NORACE
// RUN: %check-loops %s

#include "order.h"

volatile int command;  // 0: done, 1: work, 2: end
int input, output;

static void serves(void) {
  for (;;) {
    while (command == 0) {
    }
    if (command == 2) return;
    output = input * 2;
    __asm__ volatile("" ::: "memory");
    command = 0;
  }
}

static void asks(void) {
  for (int i = 1; i < 4; ++i) {
    input = i;
    __asm__ volatile("" ::: "memory");
    command = 1;
    while (command != 0) {
    }
    if (output != 2 * i) __builtin_trap();
  }
  command = 2;
}

int main(void) { run_two(serves, asks); }
