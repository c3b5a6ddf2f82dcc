// The precise value differs by little, and what is printed is rounded.
#include "threads.h"

static volatile int milliseconds = 5100;
static int seconds;

static void* updates(void* unused) {
  // RACE update read: k-witness-harmless states=differ: both are five seconds
  milliseconds = 5300;  // @update
  return unused;
}

static void* rounds(void* unused) {
  seconds = milliseconds / 1000;  // @read
  return unused;
}

int main(void) {
  run_both(updates, rounds);
  printf("%d s\n", seconds);
}
