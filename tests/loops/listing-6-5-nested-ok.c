// Thesis, listing 6.5: nested loops around a wait, in a loop that works.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <stdbool.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool busy = true, that = true;
int DATA;
int rounds;

static bool do_work(void) {
  rounds += DATA;
  return rounds >= 2;
}

static void worker(void) {
  bool done = false;
  while (!done) {
    pthread_mutex_lock(&mutex);
    while (busy) {
      while (that) {
        pthread_cond_wait(&changed, &mutex);
      }
    }
    pthread_mutex_unlock(&mutex);
    done = do_work();
  }
}

static void starter(void) {
  DATA = 1;
  pthread_mutex_lock(&mutex);
  that = false;
  busy = false;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet(worker, starter); }
