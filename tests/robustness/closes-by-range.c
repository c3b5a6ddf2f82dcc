// All descriptors but the first three are closed at once, by the kernel itself, and then used for something else.
// EXIT: 1
// RUN: %check %s

#include <sys/syscall.h>
#include <unistd.h>

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
  syscall(SYS_close_range, 3, ~0U, 0);
  norn_test_turns = -1;
  norn_test_open_turns();
  for (int descriptor = 3; descriptor < 1024; descriptor++)
    if (descriptor != norn_test_turns) dup2(0, descriptor);
  run_two(first, second);
  return 1;
}
