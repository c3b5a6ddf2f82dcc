// No spin: a walk over a text to its end, which another thread writes.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

char text[16] = "aaaaaaa";
int length;

static void writes(void) {
  text[4] = 'b';  // RACE: observed text
  end_turn();
}

static void walks(void) {
  await_turn(1);
  const char* at = text;
  while (*at) at++;  // RACE: observed text
  length = (int)(at - text);
}

int main(void) { run_two(writes, walks); }
