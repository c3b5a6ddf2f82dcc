// Where a frame had atomics the next one has plain variables: these race.
// RUN: %check %s

#include "order.h"

enum { kCells = 64, kOne = 32 };

int sum;

__attribute__((noinline)) static int counts(void) {
  int cells[kCells] = {0};
  for (int i = 0; i < kCells; i++) __atomic_fetch_add(&cells[i], i, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&cells[kOne], __ATOMIC_SEQ_CST);
}

static void* reads(void* argument) {
  int* number = (int*)argument;
  sum = *number;  // RACE: observed <number>
  end_turn();
  return NULL;
}

static void* does_nothing(void* unused) { return unused; }

__attribute__((noinline)) static int passes(void) {
  pthread_t thread;
  int cells[kCells] = {0};
  pthread_create(&thread, NULL, reads, &cells[kOne]);
  await_turn(1);
  cells[kOne] = 2;  // RACE: observed <number>
  pthread_join(thread, NULL);
  return cells[kOne];
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, does_nothing, NULL);  // from here on there are threads
  pthread_join(thread, NULL);
  return counts() != kOne || passes() != 2;
}
