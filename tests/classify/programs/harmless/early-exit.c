// A stop that comes late only costs work: the result is the best one either way.
#include "threads.h"

static volatile int found;
static int best;

static void* finds(void* unused) {
  // RACE tell ask: k-witness-harmless: who does not hear of it tries once more in vain
  found = 1;  // @tell
  return unused;
}

static void* tries(void* unused) {
  for (int i = 0; i < 5; ++i) {
    if (i < 3) best = i;
    if (i >= 2 && found) break;  // @ask
  }
  return unused;
}

int main(void) {
  run_both(finds, tries);
  printf("best %d\n", best);
}
