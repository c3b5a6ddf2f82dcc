// A file descriptor is written to and then closed by another thread: the next run may write to another file.
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int ends[2];

static void writes(void) {
  if (write(ends[1], "x", 1) != 1) return;  // RACE: observed <descriptor>
  end_turn();
}

static void closes(void) {
  await_turn(1);
  close(ends[1]);  // RACE: observed <descriptor>
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(writes, closes);
}
