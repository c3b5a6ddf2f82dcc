// A switch that is told to give no order: the fibers are threads of their own and race.
// RUN: %check %s

#include <stdlib.h>
#include <ucontext.h>

#include "annotations.h"

ucontext_t main_context, fiber_context;
void *main_fiber, *fiber;
int x;

static void body(void) {
  x = 1;  // RACE: observed x
  TSAN(switch_to_fiber, main_fiber, kTsanNoSync);
  swapcontext(&fiber_context, &main_context);
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
  TSAN(switch_to_fiber, fiber, kTsanNoSync);
  swapcontext(&main_context, &fiber_context);
  x = 2;  // RACE: observed x
  TSAN(destroy_fiber, fiber);
  free(stack);
}
