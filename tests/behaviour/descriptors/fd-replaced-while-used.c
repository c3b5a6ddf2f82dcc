// A file descriptor is written to, and another thread puts a duplicate in its place: the next run may write to that.
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int one[2], other[2];

static void writes(void) {
  if (write(one[1], "x", 1) != 1) abort();    // RACE: observed <descriptor>
  if (write(other[1], "x", 1) != 1) abort();  // RACE: observed <other>
  end_turn();
}

static void replaces(void) {
  await_turn(1);
  if (dup2(0, one[1]) != one[1]) abort();         // RACE: observed <descriptor>
  if (dup3(0, other[1], 0) != other[1]) abort();  // RACE: observed <other>
}

int main(void) {
  if (pipe(one) != 0 || pipe(other) != 0) return 1;
  run_two(writes, replaces);
}
