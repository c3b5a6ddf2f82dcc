// Library: a barrier used for several generations.
// NORACE
// RUN: %check %s

#include "arrival.h"

enum { N = 3 };
pthread_barrier_t barrier;
int cells[2][N];

static void work(int me) {
  for (int phase = 0; phase < 4; ++phase) {
    int sum = me;
    for (int i = 0; i < N; ++i) sum += cells[phase % 2][i];
    cells[(phase + 1) % 2][me] = sum;
    pthread_barrier_wait(&barrier);
  }
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  pthread_barrier_init(&barrier, NULL, N);
  const Body bodies[] = {first, second, third};
  run_many(bodies, N);
}
