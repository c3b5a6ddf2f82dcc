// A duplicate of a descriptor is put in the place of another one that nobody uses, and where there is none.
// NORACE
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int ends[2], other[2];
int x;

static void writes(void) {
  if (write(other[1], "x", 1) != 1) abort();
  x = 1;
  if (write(ends[1], "x", 1) != 1) abort();
}

static void replaces(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) abort();
  x = 2;
  if (dup2(other[0], other[1]) != other[1] || dup2(0, 99) != 99 || dup2(99, 99) != 99) abort();
}

int main(void) {
  if (pipe(ends) != 0 || pipe(other) != 0) return 1;
  run_two(writes, replaces);
}
