// What is written to a pipe comes before what is read from it.
// NORACE
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int ends[2];
int x;

static void sends(void) {
  x = 1;
  char byte = 'x';
  if (write(ends[1], &byte, 1) != 1) x = -1;
}

static void receives(void) {
  char byte;
  if (read(ends[0], &byte, 1) == 1) x++;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(sends, receives);
  return x != 2;
}
