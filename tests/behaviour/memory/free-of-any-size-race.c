// Blocks of all sizes that the runtime keeps in different ways, where blocks of other sizes were before.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

char *odd, *edge, *past, *large;
int seen;

// The same memory has blocks of one size after those of another.
static void reuse(void) {
  static const int sizes[] = {1000, 100, 600, 20, 513, 512, 6000, 40};
  enum { kSizes = sizeof sizes / sizeof *sizes };
  char* blocks[kSizes];
  for (int round = 0; round < kSizes; round++) {
    for (int i = 0; i < kSizes; i++) blocks[i] = malloc((size_t)sizes[(i + round) % kSizes]);
    for (int i = 0; i < kSizes; i++) free(blocks[i]);
  }
}

static void reads(void) {
  seen += odd[19];      // RACE: observed odd
  seen += edge[511];    // RACE: observed edge
  seen += past[512];    // RACE: observed past
  seen += large[4000];  // RACE: observed large
  end_turn();
}

static void frees(void) {
  await_turn(1);
  free(odd);    // RACE: observed odd
  free(edge);   // RACE: observed edge
  free(past);   // RACE: observed past
  free(large);  // RACE: observed large
}

int main(void) {
  reuse();
  odd = calloc(20, 1);
  edge = calloc(512, 1);
  past = calloc(513, 1);
  large = calloc(6000, 1);
  run_two(reads, frees);
  reuse();
}
