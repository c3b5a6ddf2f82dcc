// A plain write in inline assembly is a write.
// RUN: %check %s

#include "order.h"

int x;

static void in_assembly(void) {
  __asm__ volatile("movl $1, %0" : "=m"(x));  // RACE: observed x
  end_turn();
}

static void in_c(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(in_assembly, in_c); }
