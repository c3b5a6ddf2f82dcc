// Sixteen threads initialise lazily with an atomic flag: the first that finds it clear initialises, but the others do
// not wait for the end of that.
// BUG: kind=order preemptions=1 threads=16 shows=crash finding=race:table
// FOUND-BY: race-directed pos
// RUN: %show %s
// RUN: %found %s
#include <stdatomic.h>

#include "bug.h"

static atomic_flag begun = ATOMIC_FLAG_INIT;
static int storage[16];
static int* table;

static void* use(void* self) {
  if (self != NULL) after_step(1);
  if (!atomic_flag_test_and_set(&begun)) {
    step(0);
    step(2);
    table = storage;
  }
  table[(size_t)self] = 1;
  return NULL;
}

int main(void) { RUN(use, use, use, use, use, use, use, use, use, use, use, use, use, use, use, use); }
