// Twelve threads put messages into one hash table: who finds a place free writes there in a second step.
// After the indexer of Flanagan and Godefroid (POPL 2005), figure 9, whose place is taken by compare-and-swap.
// BUG: kind=check-then-act preemptions=1 threads=12 shows=status finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

enum { kThreads = 12, kPlaces = 128, kMessages = 2 };
static atomic_int table[kPlaces];

static void* put(void* number) {
  const int self = (int)(size_t)number;
  if (self == 11) step(1);
  for (int i = 0; i < kMessages; ++i) {
    const int message = 1 + self * kMessages + i;
    int place = message * 7 % kPlaces;
    if (self == 0 || self == 11) place = i;  // these two collide
    while (atomic_load(&table[place]) != 0) place = (place + 1) % kPlaces;
    if (self == 0 && i == 0) step(0), step(3);
    atomic_store(&table[place], message);
  }
  if (self == 11) step(2);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, put, (void*)i);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int kept = 0;
  for (int i = 0; i < kPlaces; ++i) kept += table[i] != 0;
  return kept == kThreads * kMessages ? 0 : 3;
}
