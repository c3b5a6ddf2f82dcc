// A block is freed and given to another thread, which has not used it yet; the third still has its address.
// RUN: %check %s

#include <malloc.h>

#include "order.h"

enum { kSize = 2000 };  // too much for a thread's cache: who asks next gets it
long* block;
long seen;
void* volatile got;  // so that the compiler leaves the calls

static void* frees(void* none) {
  await_turn(2);
  free(block);
  end_turn();
  return none;
}

static void* gets(void* none) {
  await_turn(1);
  got = malloc(1);
  free(got);  // what the allocator needs for a thread it has from here on
  end_turn();
  await_turn(3);
  got = malloc(kSize);  // RACE: observed <block>
  end_turn();
  return none;
}

static void* uses(void* none) {
  await_turn(4);
  seen = block[1];  // RACE: observed <block>
  return none;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  block = malloc(kSize);
  block[1] = 1;
  pthread_t threads[3];
  void* (*const functions[])(void*) = {frees, gets, uses};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, functions[i], NULL);
  end_turn();
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
