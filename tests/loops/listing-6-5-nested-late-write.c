// Thesis, listing 6.5 with a mistake: the data is written after the section that ends the nested waits.
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
  rounds += DATA;  // RACE: observed DATA
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
  pthread_mutex_lock(&mutex);
  that = false;
  busy = false;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  DATA = 1;  // RACE: observed DATA
}

int main(void) { meet(worker, starter); }
