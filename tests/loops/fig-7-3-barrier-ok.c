// Thesis, figure 7.3: a barrier made of a counter under a lock and a spinning read loop on it.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
enum { N = 3 };
volatile int counter;
int parts[N];
int sums[N];

static void barrier_wait(void) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  while (counter != N) {
  }
  compiler_barrier();
}

static void work(int me) {
  parts[me] = me;
  barrier_wait();
  for (int i = 0; i < N; ++i) sums[me] += parts[i];
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  const Body bodies[] = {first, second, third};
  run_many(bodies, N);
}
