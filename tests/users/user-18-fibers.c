// Line 18: eight fibers that two threads run in turn, taken from a queue under a mutex.
// NORACE
// RUN: %check %s

#include <stdlib.h>
#include <ucontext.h>

#include "annotations.h"
#include "order.h"

enum { kFibers = 8, kSteps = 20, kStack = 1 << 16 };
struct Fiber {
  ucontext_t context;
  ucontext_t* runner;
  void* detector;
  void* runner_detector;
  int steps;
} fibers[kFibers];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int queue[kFibers * (kSteps + 1)];
int first, last;
int running = kFibers;

static __attribute__((noinline)) void leave(struct Fiber* fiber) {
  TSAN(switch_to_fiber, fiber->runner_detector, 0);
  swapcontext(&fiber->context, fiber->runner);
}

static void body(int number) {
  struct Fiber* fiber = &fibers[number];
  while (fiber->steps < kSteps) {
    fiber->steps++;
    leave(fiber);
  }
  leave(fiber);
}

static void runs(void) {
  ucontext_t own;
  void* own_detector = __tsan_get_current_fiber ? __tsan_get_current_fiber() : NULL;
  for (;;) {
    pthread_mutex_lock(&mutex);
    int number = first < last ? queue[first++] : -1;
    int left = running;
    pthread_mutex_unlock(&mutex);
    if (left == 0) return;
    if (number < 0) continue;
    struct Fiber* fiber = &fibers[number];
    TSAN(acquire, fiber);
    fiber->runner = &own;
    fiber->runner_detector = own_detector;
    TSAN(switch_to_fiber, fiber->detector, 0);
    swapcontext(&own, &fiber->context);
    int done = fiber->steps == kSteps;
    TSAN(release, fiber);
    pthread_mutex_lock(&mutex);
    if (done)
      running--;
    else
      queue[last++] = number;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  for (int i = 0; i < kFibers; i++) {
    getcontext(&fibers[i].context);
    fibers[i].context.uc_stack.ss_sp = malloc(kStack);
    fibers[i].context.uc_stack.ss_size = kStack;
    if (__tsan_create_fiber) fibers[i].detector = __tsan_create_fiber(0);
    makecontext(&fibers[i].context, (void (*)(void))body, 1, i);
    queue[last++] = i;
  }
  run_two(runs, runs);
  int steps = 0;
  for (int i = 0; i < kFibers; i++) steps += fibers[i].steps;
  return steps != kFibers * kSteps;
}
