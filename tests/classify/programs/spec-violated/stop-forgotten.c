// A thread that clears the flag which asks it to stop, though it was set already.
#include "threads.h"

static volatile int stop;

static void* works(void* unused) {
  // RACE clear set: spec-violated hang: cleared last, the loop is never left
  stop = 0;  // @clear
  // RACE look set: single-ordering: the loop waits for this very write
  while (!stop) sched_yield();  // @look
  return unused;
}

static void* stops(void* unused) {
  later();
  stop = 1;  // @set
  return unused;
}

int main(void) {
  run_both(works, stops);
  printf("stopped\n");
}
