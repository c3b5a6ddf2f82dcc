// Two threads read a file into one buffer.
// RUN: %check %s

#include <fcntl.h>
#include <unistd.h>

#include "order.h"

char buffer[64];
int zeros;

static void first(void) {
  if (read(zeros, buffer, sizeof buffer) < 0) return;  // RACE: observed buffer
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (pread(zeros, buffer + 60, 4, 0) < 0) return;  // RACE: observed buffer
}

int main(void) {
  zeros = open("/dev/zero", O_RDONLY);
  run_two(first, second);
  close(zeros);
}
