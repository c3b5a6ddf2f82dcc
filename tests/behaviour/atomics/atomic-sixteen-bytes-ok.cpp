// A pair of words changed by a compare-exchange of sixteen bytes.
// NORACE
// FLAGS: -mcx16 -Wno-sync-alignment
// RUN: %check %s

#include "order.h"

alignas(16) __int128 pair;

static void adds() {
  for (int i = 0; i < 100; i++) {
    for (__int128 seen = 0;;) {
      __int128 before = __sync_val_compare_and_swap(&pair, seen, seen + 1);
      if (before == seen) break;
      seen = before;
    }
  }
}

int main() {
  run_two(adds, adds);
  return pair != 200;
}
