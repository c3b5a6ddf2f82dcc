// A state that is gone through step by step, each waited for.
#include "threads.h"

enum State { kNew, kReady, kRunning, kDone };
static volatile enum State state;
static int input, output, seen;

static void* controls(void* unused) {
  // RACE input compute: single-ordering: the loop before the read waits for the state that follows this write
  input = 4;  // @input
  // RACE ready waitready: single-ordering: the loop waits for this very write
  // RACE ready done: single-ordering: it is written behind the loop that waits for the other write
  state = kReady;                        // @ready
  while (state != kDone) sched_yield();  // @waitdone
  seen = output;                         // @seen
  return unused;
}

static void* works(void* unused) {
  while (state != kReady) sched_yield();  // @waitready
  // RACE output seen: single-ordering: the loop before the read waits for the state that follows this write
  output = input * 2;  // @compute @output
  // RACE done waitdone: single-ordering: the loop waits for this very write
  state = kDone;  // @done
  return unused;
}

int main(void) {
  run_both(controls, works);
  printf("%d\n", seen);
}
