// memmove reads what another thread then writes.
// RUN: %check %s

#include <string.h>

#include "order.h"

char buffer[128];
char other[128];
size_t length = 64;

static void reads(void) {
  memmove(other, buffer, length);  // RACE: observed buffer
  end_turn();
}

static void pokes(void) {
  await_turn(1);
  buffer[63] = 1;  // RACE: observed buffer
}

int main(void) { run_two(reads, pokes); }
