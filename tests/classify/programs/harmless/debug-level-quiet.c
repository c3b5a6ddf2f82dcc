// A debug level that changes between two values for which nothing is printed.
#include "threads.h"

static volatile int level;

static void* raises(void* unused) {
  // RACE raise ask: k-witness-harmless: lines are printed from level 5 on, and it is 0 or 1
  level = 1;  // @raise
  return unused;
}

static void* works(void* unused) {
  if (level >= 5) puts("works");  // @ask
  return unused;
}

int main(void) {
  run_both(raises, works);
  puts("done");
}
