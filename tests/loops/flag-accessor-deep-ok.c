// Flag: three functions lie between the loop and the load, and the flag comes as an argument.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

typedef struct {
  int unused;
  volatile int state;
} Job;

Job job;
int x;
#define APART static __attribute__((noinline))

APART int state_of(const Job* j) { return j->state; }
APART int has_state(const Job* j, int state) { return state_of(j) == state; }
APART int is_done(const Job* j) { return has_state(j, 2); }

static void sets(void) {
  x = 1;
  job.state = 2;
}

static void waits(void) {
  while (!is_done(&job)) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
