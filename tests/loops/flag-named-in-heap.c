// Flag: a volatile member of a block, reached by an accessor; it orders, and is named.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  volatile int ready;
  int value;
} Job;

Job* job;
int seen;

static __attribute__((noinline)) int is_ready(const Job* of) {
  return of->ready;  // FLAG: of->ready
}

static void waits(void) {
  while (!is_ready(job)) {
  }
  seen = job->value;
}

static void gives(void) {
  job->value = 5;
  job->ready = 1;  // FLAG: of->ready
}

int main(void) {
  job = calloc(1, sizeof(Job));
  meet(waits, gives);
  free(job);
}
