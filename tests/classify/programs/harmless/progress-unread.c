// Progress that is read and thrown away.
#include "threads.h"

static volatile int progress;

static void* works(void* unused) {
  // RACE step peek: k-witness-harmless states=same: what is read is not used
  progress = 50;  // @step
  return unused;
}

static void* peeks(void* unused) {
  int now = progress;  // @peek
  (void)now;
  return unused;
}

int main(void) {
  run_both(works, peeks);
  puts("done");
}
