// A fiber begun by one thread is gone on with by another, which got it through a semaphore.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <stdlib.h>
#include <ucontext.h>

#include "annotations.h"
#include "order.h"

ucontext_t fiber_context, back_contexts[2];
void *fiber, *back_fibers[2];
sem_t half_done;
int runner;
int x;

static __attribute__((noinline)) void leave(void) {
  TSAN(switch_to_fiber, back_fibers[runner], 0);
  swapcontext(&fiber_context, &back_contexts[runner]);
}

static void body(void) {
  int on_its_own_stack = 20;
  x += on_its_own_stack;
  leave();
  x += on_its_own_stack + 1;
  leave();
}

static void run_fiber(int thread) {
  if (__tsan_get_current_fiber) back_fibers[thread] = __tsan_get_current_fiber();
  runner = thread;
  TSAN(switch_to_fiber, fiber, 0);
  swapcontext(&back_contexts[thread], &fiber_context);
}

static void first(void) {
  run_fiber(0);
  x++;
  sem_post(&half_done);
}

static void second(void) {
  sem_wait(&half_done);
  run_fiber(1);
}

int main(void) {
  enum { kStack = 1 << 16 };
  char* stack = malloc(kStack);
  sem_init(&half_done, 0, 0);
  if (__tsan_create_fiber) fiber = __tsan_create_fiber(0);
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = kStack;
  makecontext(&fiber_context, body, 0);
  run_two(first, second);
  TSAN(destroy_fiber, fiber);
  free(stack);
  return x != 42;
}
