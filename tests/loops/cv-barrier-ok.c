// Condition variable: a cyclic barrier, used for three phases.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
enum { N = 3, kPhases = 3 };
int waiting, generation;
int cells[2][N];

static void barrier(void) {
  pthread_mutex_lock(&mutex);
  const int mine = generation;
  if (++waiting == N) {
    waiting = 0;
    generation++;
    pthread_cond_broadcast(&changed);
  } else {
    while (generation == mine) pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

static void work(int me) {
  for (int phase = 0; phase < kPhases; ++phase) {
    int sum = me;
    for (int i = 0; i < N; ++i) sum += cells[phase % 2][i];
    cells[(phase + 1) % 2][me] = sum;
    barrier();
  }
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  const Body bodies[] = {first, second, third};
  run_many(bodies, N);
}
