// Two threads that both send are not ordered by their socket.
// RUN: %check %s

#include <sys/socket.h>

#include "order.h"

int ends[2];
int x;

static void first(void) {
  char byte = 'x';
  x = 1;  // RACE: observed x
  send(ends[0], &byte, 1, 0);
  end_turn();
}

static void second(void) {
  char byte = 'x';
  await_turn(1);
  send(ends[1], &byte, 1, 0);
  x = 2;  // RACE: observed x
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  run_two(first, second);
}
