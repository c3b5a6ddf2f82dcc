// After ctrace (Portend, figure 28 a): what one thread has freed is freed again, if both ask before either has said so.
#include "threads.h"

static char* resources;
static volatile int released;

static void release(void) {
  // RACE ask tell: spec-violated memory-error: who asks before the other has told frees the same once more
  if (released) return;  // @ask
  sched_yield();
  // RACE tell tell: spec-violated memory-error: two that write it have both asked too early
  released = 1;  // @tell
  // RACE free free: spec-violated memory-error: a second free of one block
  free(resources);  // @free
}

static void* one(void* unused) {
  release();
  return unused;
}

static void* other(void* unused) {
  later();
  release();
  return unused;
}

int main(void) {
  resources = malloc(32);
  run_both(one, other);
  printf("released\n");
}
