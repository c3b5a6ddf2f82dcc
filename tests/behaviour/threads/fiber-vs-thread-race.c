// A fiber of one thread and another thread write the same variable.
// RUN: %check %s

#include <stdlib.h>
#include <ucontext.h>

#include "annotations.h"
#include "order.h"

ucontext_t back_context, fiber_context;
void *back_fiber, *fiber;
int x;

static void body(void) {
  x = 1;  // RACE: observed x
  TSAN(switch_to_fiber, back_fiber, 0);
  swapcontext(&fiber_context, &back_context);
}

static void runs_fiber(void) {
  enum { kStack = 1 << 16 };
  char* stack = malloc(kStack);
  if (__tsan_get_current_fiber) back_fiber = __tsan_get_current_fiber();
  if (__tsan_create_fiber) fiber = __tsan_create_fiber(0);
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = kStack;
  makecontext(&fiber_context, body, 0);
  TSAN(switch_to_fiber, fiber, 0);
  swapcontext(&back_context, &fiber_context);
  TSAN(destroy_fiber, fiber);
  free(stack);
  end_turn();
}

static void writes(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(runs_fiber, writes); }
