// Flag: a mailbox for one letter, which is declared empty before the letter is read.
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
    letter = i;  // RACE: observed letter
    compiler_barrier();
    full = 1;
  }
}

static void receives(void) {
  for (int i = 0; i < 4; ++i) {
    while (!full) {
    }
    full = 0;
    compiler_barrier();
    sum += letter;  // RACE: observed letter
    compiler_barrier();
  }
}

int main(void) { run_two(sends, receives); }
