// The micro-benchmark RW, redundant writes (Portend, §6.3.1): both threads write the same value.
#include "threads.h"

static int initialized;

static void* one(void*) {
  // RACE first second: k-witness-harmless states=same: both write 1, so the order leaves no trace
  initialized = 1;  // @first
  return nullptr;
}

static void* other(void*) {
  initialized = 1;  // @second
  return nullptr;
}

int main() {
  run_both(one, other);
  printf("initialized: %d\n", initialized);
}
