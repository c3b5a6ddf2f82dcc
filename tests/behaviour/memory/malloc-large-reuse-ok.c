// A large block is freed and goes back to the system; another thread, not ordered after the first, gets its address.
// NORACE
// RUN: %check %s

#include "order.h"

enum { kSize = 40 << 20 };

char* volatile first_block;
char* volatile second_block;

static void first(void) {
  first_block = malloc(kSize);
  for (int i = 0; i < kSize; i += 4096) first_block[i] = 1;
  free(first_block);
  end_turn();
}

static void second(void) {
  await_turn(1);
  second_block = malloc(kSize);
  for (int i = 0; i < kSize; i += 4096) second_block[i] = 2;
  free(second_block);
}

int main(void) { run_two(first, second); }
