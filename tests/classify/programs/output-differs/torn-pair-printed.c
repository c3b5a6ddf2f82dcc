// A point whose coordinates are written one after the other is printed.
#include "threads.h"

static volatile int x = 1, y = 1;

static void* moves(void* unused) {
  // RACE x xread: output-differs output: the old or the new coordinate is printed
  x = 2;  // @x
  sched_yield();
  // RACE y yread: output-differs output: the old or the new coordinate is printed
  y = 2;  // @y
  return unused;
}

static void* prints(void* unused) {
  later();
  int left = x;  // @xread
  int top = y;   // @yread
  printf("(%d, %d)\n", left, top);
  return unused;
}

int main(void) { run_both(moves, prints); }
