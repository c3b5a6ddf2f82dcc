// Flag: a loop that works by calling a function while it polls a stop flag.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int stop;
long numbers[16];
int x;

static __attribute__((noinline)) void shuffle(int at) { numbers[at] = numbers[(at + 1) % 16] + 1; }

static void stops(void) {
  x = 1;
  stop = 1;
}

static void works(void) {
  int at = 0;
  while (!stop) {
    shuffle(at);
    at = (at + 1) % 16;
  }
  x = 2;
}

int main(void) { meet(works, stops); }
