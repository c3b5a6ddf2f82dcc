// One byte in the midst of a memset.
// RUN: %check %s

#include <string.h>

#include "order.h"

char buffer[300];
size_t length = 300;

static void clears(void) {
  memset(buffer, 0, length);  // RACE: observed buffer
  end_turn();
}

static void pokes(void) {
  await_turn(1);
  buffer[177] = 1;  // RACE: observed buffer
}

int main(void) { run_two(clears, pokes); }
