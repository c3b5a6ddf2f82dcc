// Flag: reached by a pointer in memory that the loop's work uses, too; only the flag's own value decides.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>
#include <stdlib.h>

#include "arrival.h"

typedef struct {
  volatile int stop;
  long work;
} Pool;

Pool* pool;
int x;

static __attribute__((noinline)) void work(Pool* mine) {
  mine->work++;
  sched_yield();
}

static void stops(void) {
  x = 1;
  pool->stop = 1;
}

static void works(void) {
  while (!pool->stop) work(pool);
  x = 2;
}

int main(void) {
  pool = calloc(1, sizeof(Pool));
  meet(works, stops);
  free(pool);
}
