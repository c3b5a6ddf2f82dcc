// snprintf writes the buffer that another thread reads.
// RUN: %check %s

#include <stdio.h>
#include <string.h>

#include "order.h"

char line[64];
char copy[64];
size_t length = 5;

static void prints(void) {
  snprintf(line, sizeof line, "%d of %d", 1, 2);  // RACE: observed line
  end_turn();
}

static void reads(void) {
  await_turn(1);
  memcpy(copy, line, length);  // RACE: observed line
}

int main(void) { run_two(prints, reads); }
