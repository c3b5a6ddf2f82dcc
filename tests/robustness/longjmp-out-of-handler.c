// Out of a handler for a fault by siglongjmp, a thousand times.
// STACK: writes first
// NOT-STACK: on_fault
// RUN: %check %s

#include <setjmp.h>
#include <signal.h>

#include "order.h"

int x;
_Thread_local sigjmp_buf back;
int* volatile nowhere;

static void on_fault(int number) {
  (void)number;
  siglongjmp(back, 1);
}

static __attribute__((noinline)) void writes(void) {
  for (volatile int i = 0; i < 1000; i++)
    if (sigsetjmp(back, 1) == 0) *nowhere = 1;
  x = 1;  // RACE: observed x
  end_turn();
}

static void first(void) {
  writes();
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct sigaction action = {.sa_handler = on_fault};
  sigaction(SIGSEGV, &action, NULL);
  run_two(first, second);
}
