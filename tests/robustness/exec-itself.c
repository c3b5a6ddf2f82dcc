// A program that starts itself anew: what was found before and what was found after are both reported.
// EXIT: 4
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int before, after;

static void first_before(void) {
  before = 1;  // RACE: observed before
  end_turn();
}

static void second_before(void) {
  await_turn(1);
  before = 2;  // RACE: observed before
}

static void first_after(void) {
  after = 1;  // RACE: observed after
  end_turn();
}

static void second_after(void) {
  await_turn(1);
  after = 2;  // RACE: observed after
}

int main(int count, char** arguments) {
  if (count == 1) {
    run_two(first_before, second_before);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    return 1;
  }
  run_two(first_after, second_after);
  return 4;
}
