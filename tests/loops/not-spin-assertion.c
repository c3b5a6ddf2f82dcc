// No spin: the loop waits for `done`; a failed assertion is no way out that anybody waits for, and what it looks at is
// data, which the writer guards with another lock.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#undef NDEBUG
#include <assert.h>
#include <sched.h>

#include "arrival.h"

pthread_mutex_t of_hits = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t of_done = PTHREAD_MUTEX_INITIALIZER;
int hits, done;

static void hit(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&of_hits);
    hits++;  // RACE: observed hits
    pthread_mutex_unlock(&of_hits);
  }
  pthread_mutex_lock(&of_done);
  done = 1;
  pthread_mutex_unlock(&of_done);
}

static void waits(void) {
  int go = 1;
  while (go) {
    assert(hits >= 0);  // RACE: observed hits
    pthread_mutex_lock(&of_done);
    if (done) go = 0;
    pthread_mutex_unlock(&of_done);
    sched_yield();
  }
}

int main(void) { meet(waits, hit); }
