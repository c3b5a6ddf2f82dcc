// A file opened with fopen gets the number of a descriptor that another thread closed before: it is a new descriptor.
// NORACE
// RUN: %check %s

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static void closes(void) {
  int fd = open("/dev/null", O_RDONLY);
  close(fd);
  end_turn();
}

static void opens(void) {
  await_turn(1);
  FILE* file = fopen("/dev/null", "w");
  fwrite("x", 1, 1, file);
  fflush(file);
  fclose(file);
}

int main(void) { run_two(closes, opens); }
