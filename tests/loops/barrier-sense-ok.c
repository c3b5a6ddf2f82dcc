// Home-made barrier: sense-reversing, used for three phases.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 3, kPhases = 3 };
static int left = N;
static volatile int sense;
int cells[2][N];

static void barrier(int* my_sense) {
  *my_sense = !*my_sense;
  if (__sync_sub_and_fetch(&left, 1) == 0) {
    left = N;
    sense = *my_sense;
  } else {
    while (sense != *my_sense) {
    }
  }
  compiler_barrier();
}

static void work(int me) {
  int my_sense = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    int sum = me;
    for (int i = 0; i < N; ++i) sum += cells[phase % 2][i];
    cells[(phase + 1) % 2][me] = sum;
    barrier(&my_sense);
  }
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  const Body bodies[] = {first, second, third};
  run_many(bodies, N);
}
