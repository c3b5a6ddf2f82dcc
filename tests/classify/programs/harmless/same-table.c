// Both threads fill a table with the same content.
#include "threads.h"

static volatile unsigned char table[4];

static void fill(void) {
  // RACE fill fill: k-witness-harmless states=same: every element gets the same value from both
  for (int i = 0; i < 4; ++i) table[i] = (unsigned char)(i * i);  // @fill
}

static void* one(void* unused) {
  fill();
  return unused;
}

static void* other(void* unused) {
  fill();
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d %d %d %d\n", table[0], table[1], table[2], table[3]);
}
