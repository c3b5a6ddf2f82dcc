// A handler that is called before it is installed.
#include "threads.h"

static int calls;
static void handle(void) { ++calls; }
static void (*volatile handler)(void);

static void* installs(void* unused) {
  // RACE install call: spec-violated crash: called first, it is null
  handler = handle;  // @install
  return unused;
}

static void* calls_it(void* unused) {
  later();
  handler();  // @call
  return unused;
}

int main(void) {
  run_both(installs, calls_it);
  printf("%d\n", calls);
}
