// A program that checks its own state and aborts.
#include "threads.h"

static volatile unsigned checksum, data;

static void* updates(void* unused) {
  // RACE data dataread: spec-violated assertion|abort: the reader may see new data with the old checksum
  data = 21;  // @data
  sched_yield();
  // RACE sum sumread: spec-violated assertion|abort: the reader may see new data with the old checksum
  checksum = 42;  // @sum
  return unused;
}

static void* verifies(void* unused) {
  later();
  unsigned now = data;      // @dataread
  unsigned sum = checksum;  // @sumread
  if (sum != now * 2) {
    fprintf(stderr, "corrupt\n");
    abort();
  }
  return unused;
}

int main(void) {
  run_both(updates, verifies);
  printf("intact\n");
}
