// Library: a pipe hands over a pointer.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <unistd.h>

#include "arrival.h"

int ends[2];
int x;

static void sends(void) {
  x = 1;
  int* message = &x;
  if (write(ends[1], &message, sizeof(message)) != sizeof(message)) _exit(1);
}

static void receives(void) {
  int* message;
  if (read(ends[0], &message, sizeof(message)) != sizeof(message)) _exit(1);
  *message = 2;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  meet(receives, sends);
}
