// That there is room to write says nothing of what others wrote.
// RUN: %check %s

#include <poll.h>
#include <unistd.h>

#include "order.h"

int ends[2];
int x;

static void writes(void) {
  x = 1;  // RACE: observed x
  if (write(ends[1], "x", 1) != 1) abort();
  end_turn();
}

static void waits(void) {
  await_turn(1);
  struct pollfd file = {ends[1], POLLOUT, 0};
  if (poll(&file, 1, -1) != 1) abort();
  x = 2;  // RACE: observed x
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(writes, waits);
}
