// A program that asserts its state only in a mode that its input asks for.
// ARGS: fast
// OTHER-ARGS: checked
#include "threads.h"

static int is_checked;
static volatile int state;

static void* sets(void* unused) {
  // RACE set look: spec-violated assertion other-input: in the checked mode an old state is an assertion that fails
  state = 1;  // @set
  return unused;
}

static void* looks(void* unused) {
  later();
  int now = state;  // @look
  if (is_checked) assert(now == 1);
  return unused;
}

int main(int argc, char** argv) {
  is_checked = argc > 1 && strcmp(argv[1], "checked") == 0;
  run_both(sets, looks);
  puts("done");
}
