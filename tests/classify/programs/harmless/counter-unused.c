// A count of hits that nobody ever looks at.
#include "threads.h"

static volatile int hits;

static void* works(void* unused) {
  // RACE read write: k-witness-harmless states=differ: an update may be lost, and nobody looks
  int now = hits;  // @read
  // RACE write write: k-witness-harmless states=differ: an update may be lost, and nobody looks
  hits = now + 1;  // @write
  return unused;
}

int main(void) {
  run_both(works, works);
  puts("done");
}
