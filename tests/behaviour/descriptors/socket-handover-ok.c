// What is sent through a socket comes before what is received.
// NORACE
// RUN: %check %s

#include <sys/socket.h>

#include "order.h"

int ends[2];
int x;

static void sends(void) {
  char byte = 'x';
  x = 1;
  if (send(ends[0], &byte, 1, 0) != 1) x = -1;
  if (recv(ends[0], &byte, 1, 0) == 1) x++;
}

static void answers(void) {
  char byte;
  if (recv(ends[1], &byte, 1, 0) != 1) return;
  x++;
  if (send(ends[1], &byte, 1, 0) != 1) x = -1;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  run_two(sends, answers);
  return x != 3;
}
