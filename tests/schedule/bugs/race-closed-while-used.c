// A worker asks whether the connection is open and then writes to its buffer, which is taken away in between.
// BUG: kind=data-race preemptions=1 threads=2 shows=crash finding=race:connection
// RUN: %show %s
#include "bug.h"

static char buffer[64];
static struct {
  int open;
  char* out;
} connection = {1, buffer};

static void* work(void* unused) {
  if (connection.open) {
    step(0);
    step(3);
    connection.out[0] = 'x';
  }
  return unused;
}

static void* close_it(void* unused) {
  step(1);
  connection.open = 0;
  connection.out = NULL;
  step(2);
  return unused;
}

int main(void) { RUN(work, close_it); }
