// Not a spin: a loop goes over an array until all of it is set, and sets it itself, in a function of another
// translation unit that the compiler does not see. Nobody is waited for: only the mutex stands between the writes of x.
// KNOWN: what is read under a lock is taken to decide (docs/design/order.md, Handed over), and here it decides nothing
// ALSO: Inputs/fill.c
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "Inputs/fill.h"
#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
enum { N = 4 };
int cells[N];
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  cells[1] = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  for (;;) {
    int all = 1;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < N; ++i) {
      if (cells[i] == 0) all = 0;
    }
    if (!all) fill(cells, N);
    pthread_mutex_unlock(&mutex);
    if (all) break;
  }
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
