// Line 9: both stacks are whole, however much the first thread did after its access.
// STACK: writes_first outer_first first
// STACK: writes_second outer_second second
// NOT-STACK: works
// RUN: %check %s

#include "order.h"

int x;
volatile long work;
_Thread_local long own[64];

static __attribute__((noinline)) void writes_first(void) {
  x = 1;  // RACE: observed x
  __asm__ volatile("");
}

static __attribute__((noinline)) void outer_first(void) {
  writes_first();
  __asm__ volatile("");
}

static __attribute__((noinline)) void works(int i) { own[i % 64] += i; }

static void first(void) {
  outer_first();
  for (int i = 0; i < 2000000; i++) works(i);
  end_turn();
}

static __attribute__((noinline)) void writes_second(void) {
  x = 2;  // RACE: observed x
  __asm__ volatile("");
}

static __attribute__((noinline)) void outer_second(void) {
  writes_second();
  __asm__ volatile("");
}

static void second(void) {
  await_turn(1);
  outer_second();
}

int main(void) { run_two(first, second); }
