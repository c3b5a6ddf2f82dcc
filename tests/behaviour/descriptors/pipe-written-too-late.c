// The variable is written after the pipe.
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int ends[2];
int x;

static void sends(void) {
  char byte = 'x';
  if (write(ends[1], &byte, 1) != 1) return;
  x = 1;  // RACE: observed x
  end_turn();
}

static void receives(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) return;
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(sends, receives);
}
