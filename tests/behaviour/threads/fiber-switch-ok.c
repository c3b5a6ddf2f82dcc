// Fibers of one thread, each switch told to the detector: they take turns.
// NORACE
// RUN: %check %s

#include <stdlib.h>
#include <ucontext.h>

#include "annotations.h"

ucontext_t main_context, fiber_context;
void *main_fiber, *fiber;
int x;

static void to_main(void) {
  TSAN(switch_to_fiber, main_fiber, 0);
  swapcontext(&fiber_context, &main_context);
}

static void to_fiber(void) {
  TSAN(switch_to_fiber, fiber, 0);
  swapcontext(&main_context, &fiber_context);
}

static void body(void) {
  for (;;) {
    x++;
    to_main();
  }
}

int main(void) {
  enum { kStack = 1 << 16 };
  char* stack = malloc(kStack);
  if (__tsan_get_current_fiber) main_fiber = __tsan_get_current_fiber();
  if (__tsan_create_fiber) fiber = __tsan_create_fiber(0);
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = kStack;
  makecontext(&fiber_context, body, 0);
  for (int i = 0; i < 10; i++) {
    x++;
    to_fiber();
  }
  TSAN(destroy_fiber, fiber);
  free(stack);
  return x != 20;
}
