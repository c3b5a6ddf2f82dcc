// memcpy writes what another thread reads by memcpy.
// RUN: %check %s

#include <string.h>

#include "order.h"

char buffer[256];
char source[256];
char copy[256];
size_t length = 200;

static void writes(void) {
  memcpy(buffer, source, length);  // RACE: observed buffer
  end_turn();
}

static void reads(void) {
  await_turn(1);
  memcpy(copy, buffer, length);  // RACE: observed buffer
}

int main(void) { run_two(writes, reads); }
