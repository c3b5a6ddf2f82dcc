// memcmp reads what another thread then writes.
// RUN: %check %s

#include <string.h>

#include "order.h"

char buffer[64];
char other[64];
size_t length = 64;
int differs;

static void compares(void) {
  differs = memcmp(buffer, other, length);  // RACE: observed buffer
  end_turn();
}

static void pokes(void) {
  await_turn(1);
  buffer[0] = 1;  // RACE: observed buffer
}

int main(void) { run_two(compares, pokes); }
