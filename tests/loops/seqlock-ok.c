// Home-made sequence lock: an odd number while the writer writes; the reader comes again until it has a whole.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile unsigned sequence;
int a, b;
int seen;

static void writes(void) {
  sequence = 1;
  compiler_barrier();
  a = 1;
  b = 2;
  compiler_barrier();
  sequence = 2;
}

static void reads(void) {
  unsigned before;
  do {
    while ((before = sequence) == 0 || (before & 1)) {
    }
    compiler_barrier();
    seen = a + b;
    compiler_barrier();
  } while (sequence != before);
}

int main(void) { meet(reads, writes); }
