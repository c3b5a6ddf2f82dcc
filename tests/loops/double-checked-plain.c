// Double-checked initialisation with a plain flag, which nothing waits for.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int initialised;
int table;
int seen;

static void first(void) {
  if (!initialised) {  // MAYBE: initialised
    pthread_mutex_lock(&mutex);
    if (!initialised) {
      table = 7;        // RACE: observed table
      initialised = 1;  // RACE: observed initialised
    }
    pthread_mutex_unlock(&mutex);
  }
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (!initialised) return;  // RACE: observed initialised
  seen = table;              // RACE: observed table
}

int main(void) { run_two(first, second); }
