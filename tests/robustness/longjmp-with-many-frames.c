// Jumps over so many frames, so often, that a stack that only grew would overflow.
// NORACE
// STDOUT: 20000
// RUN: %check %s

#include <setjmp.h>
#include <stdio.h>

#include "order.h"

static __attribute__((noinline)) void dives(jmp_buf back, volatile int depth) {
  if (depth == 0) longjmp(back, 1);
  dives(back, depth - 1);
}

int main(void) {
  volatile int jumps = 0;
  for (volatile int i = 0; i < 20000; i++) {
    jmp_buf back;
    if (setjmp(back) == 0)
      dives(back, 50);
    else
      jumps++;
  }
  printf("%d\n", jumps);
}
