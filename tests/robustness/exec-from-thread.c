// A thread makes another program of the process, while others run.
// EXIT: 4
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int before, after;
char** arguments;

static void first_before(void) {
  before = 1;  // RACE: observed before
  end_turn();
  for (;;) pause();
}

static void second_before(void) {
  await_turn(1);
  before = 2;  // RACE: observed before
  execl("/proc/self/exe", arguments[0], "again", NULL);
}

static void first_after(void) {
  after = 1;  // RACE: observed after
  end_turn();
}

static void second_after(void) {
  await_turn(1);
  after = 2;  // RACE: observed after
}

int main(int count, char** given) {
  arguments = given;
  if (count == 1) run_two(first_before, second_before);
  run_two(first_after, second_after);
  return 4;
}
