// Flags in the heap that a loop sets one after the other, beside the data of each: who waits for one may use what came
// before it, whenever its first look at it is, in the middle of the loop too.
// NORACE
// RUN: %check %s

#include "arrival.h"

enum { kCells = 4096, kRounds = 1000 };
static int* flags;
static int* data;
static pthread_barrier_t round_begins, round_ends;

__attribute__((noinline)) static void set(int* to, int* values, int n, int with) {
  for (int i = 0; i < n; ++i) {
    to[i] = 1;
    values[i] = with + i;
  }
}

static void sets(void) {
  for (int round = 0; round < kRounds; ++round) {
    flags = (int*)calloc(kCells, sizeof(int));
    data = (int*)malloc(kCells * sizeof(int));
    pthread_barrier_wait(&round_begins);
    set(flags, data, kCells, round);
    pthread_barrier_wait(&round_ends);
    free(flags);
    free(data);
  }
}

static void waits(void) {
  unsigned random = 1;
  static volatile int sum;
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&round_begins);
    random = random * 1103515245 + 12345;
    const int cell = 64 + (int)(random >> 8) % (kCells - 64);
    const volatile int* flag = flags + cell;
    for (volatile int later = (int)(random >> 20) % 4096; later > 0; --later) {
    }
    while (!*flag) {
    }
    compiler_barrier();
    // The compiler may set several flags before their data.
    sum = data[cell - 64];
    pthread_barrier_wait(&round_ends);
  }
}

int main(void) {
  pthread_barrier_init(&round_begins, NULL, 2);
  pthread_barrier_init(&round_ends, NULL, 2);
  run_two(sets, waits);
}
