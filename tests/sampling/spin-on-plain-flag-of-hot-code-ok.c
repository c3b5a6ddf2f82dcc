// A flag that a spinning loop waits for is written by code that runs hot, so that nobody sees the write: who left the
// loop comes after it all the same.
// STDOUT: 42
// NORACE

#include <sched.h>
#include <stdio.h>

#include "order.h"

enum { kRounds = 5000 };
int scratch;
int* flag;
int* data;

static __attribute__((noinline)) void set(int* at, int value) { *at = value; }

static void first(void) {
  for (int i = 0; i < kRounds; ++i) set(&scratch, i);
  *data = 42;
  set(flag, 1);
}

static void second(void) {
  while (*flag == 0) sched_yield();
  printf("%d\n", *data);
  *data = 0;
}

int main(void) {
  flag = calloc(1, sizeof *flag);
  data = calloc(1, sizeof *data);
  run_two(first, second);
}
