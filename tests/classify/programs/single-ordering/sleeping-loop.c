// A loop that sleeps between its looks.
#include "threads.h"

static volatile int is_done;
static int result, seen;

static void* works(void* unused) {
  usleep(3000);
  // RACE result read: single-ordering: the loop before the read waits for the flag that follows this write
  result = 11;  // @result
  // RACE done wait: single-ordering: the loop waits for this very write
  is_done = 1;  // @done
  return unused;
}

static void* waits(void* unused) {
  while (!is_done) {  // @wait
    usleep(1000);
  }
  seen = result;  // @read
  return unused;
}

int main(void) {
  run_both(works, waits);
  printf("%d\n", seen);
}
