// After bbuf (Portend, table 6): the counts of what was put and taken, without a lock.
#include "threads.h"

static volatile int put_count, taken_count, level, peak;

static void* produces(void* unused) {
  // RACE up down: output-differs output: an update between the other's read and write is lost
  // RACE peek down: output-differs output: the read decides what is written over it
  int now = level;  // @peek
  sched_yield();
  level = now + 1;  // @up
  put_count = put_count + 1;
  // RACE raise low: output-differs output: the peak that is printed is the last one written
  peak = 5;  // @raise
  return unused;
}

static void* consumes(void* unused) {
  // RACE below up: output-differs output: the read decides what is written over it
  int now = level;  // @below
  sched_yield();
  level = now - 1;  // @down
  taken_count = taken_count + 1;
  peak = 6;  // @low
  return unused;
}

int main(void) {
  run_both(produces, consumes);
  printf("put %d taken %d level %d peak %d\n", put_count, taken_count, level, peak);
}
