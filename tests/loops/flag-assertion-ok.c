// Flag: the loop asserts something about data that it takes the data's lock for.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#undef NDEBUG
#include <assert.h>
#include <sched.h>

#include "arrival.h"

pthread_mutex_t of_hits = PTHREAD_MUTEX_INITIALIZER;
volatile int done;
int hits;
int x;

static void hit(void) {
  pthread_mutex_lock(&of_hits);
  hits++;
  pthread_mutex_unlock(&of_hits);
  x = 1;
  done = 1;
}

static void waits(void) {
  while (!done) {
    pthread_mutex_lock(&of_hits);
    assert(hits >= 0);
    pthread_mutex_unlock(&of_hits);
    sched_yield();
  }
  x = 2;
}

int main(void) { meet(waits, hit); }
