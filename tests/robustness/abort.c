// abort loses nothing that was found, and is what the program died of.
// STDOUT: so far so good
// SIGNAL: SIGABRT
// RUN: %check %s

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
  puts("so far so good");
  fflush(stdout);
  abort();
}
