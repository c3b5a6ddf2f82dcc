// No spin: probing a hash table for a free place.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { kSize = 8 };
int keys[kSize];
int values[kSize];

static void insert(int key, int value) {
  unsigned at = (unsigned)key % kSize;
  while (keys[at] != 0 && keys[at] != key) at = (at + 1) % kSize;  // RACE: observed keys
  keys[at] = key;                                                  // RACE: observed keys
  values[at] = value;
}

static void first(void) {
  insert(1, 10);
  end_turn();
}

static void second(void) {
  await_turn(1);
  insert(9, 90);
}

int main(void) { run_two(first, second); }
