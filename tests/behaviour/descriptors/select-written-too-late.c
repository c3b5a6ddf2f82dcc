// What is written after the descriptor was written to is not before who learns from select that there is something to
// read.
// RUN: %check %s

#include <sys/select.h>
#include <unistd.h>

#include "order.h"

int ends[2];
int x;

static void writes(void) {
  if (write(ends[1], "x", 1) != 1) abort();
  x = 1;  // RACE: observed x
  end_turn();
}

static void waits(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  if (select(ends[0] + 1, &set, NULL, NULL, NULL) != 1) abort();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(writes, waits);
}
