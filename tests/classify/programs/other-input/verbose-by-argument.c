// The counter is printed only if the argument asks for it.
// ARGS: quiet
// OTHER-ARGS: verbose
#include "threads.h"

static volatile int count;

static void* one(void* unused) {
  // RACE one two: output-differs output other-input: with `verbose` the later one is printed
  count = 1;  // @one
  return unused;
}

static void* other(void* unused) {
  count = 2;  // @two
  return unused;
}

int main(int argc, char** argv) {
  run_both(one, other);
  if (argc > 1 && strcmp(argv[1], "verbose") == 0) printf("%d\n", count);
  puts("done");
}
