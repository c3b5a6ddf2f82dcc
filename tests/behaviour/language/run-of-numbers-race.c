// Loops that store whole numbers of several sizes, whose accesses are known when they begin, and one that touches
// single elements.
// RUN: %check %s

#include <stdint.h>

#include "order.h"

int32_t counts[64];
int64_t* longs;
uint8_t bytes[64];

__attribute__((noinline)) static void fill_counts(int32_t* to, int n, int with) {
  for (int i = 0; i < n; ++i) to[i] = with + i;  // RACE: observed counts
}
__attribute__((noinline)) static void fill_longs(int64_t* to, int n, int with) {
  for (int i = 0; i < n; ++i) to[i] = with * to[i];  // RACE: observed longs[39]
}
__attribute__((noinline)) static void fill_bytes(uint8_t* to, const uint8_t* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[63 - i] / 3;  // RACE: observed bytes
}

static void fills(void) {
  fill_counts(counts, 40, 3);
  fill_longs(longs, 40, 5);
  fill_bytes(bytes, bytes, 21);
  end_turn();
}

static void reads(void) {
  await_turn(1);
  static volatile int64_t sum;
  sum = counts[39] + counts[40];  // RACE: observed counts
  sum = longs[39] + longs[40];    // RACE: observed longs[39]
  sum = bytes[20] + bytes[21];    // RACE: observed bytes
}

int main(void) {
  longs = (int64_t*)calloc(64, sizeof(int64_t));
  run_two(fills, reads);
  free(longs);
}
