// A connection that must be open when it is used.
#include "threads.h"

enum State { kClosed, kOpen };
static volatile enum State state;

static void* opens(void* unused) {
  // RACE open use: spec-violated assertion: used first, it is closed
  state = kOpen;  // @open
  return unused;
}

static void* uses(void* unused) {
  later();
  enum State now = state;  // @use
  assert(now == kOpen);
  return unused;
}

int main(void) {
  run_both(opens, uses);
  printf("used\n");
}
