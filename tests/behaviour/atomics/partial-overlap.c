// A byte in the midst of another thread's eight.
// RUN: %check %s

#include "order.h"

union {
  long whole;
  char bytes[8];
} word;

static void whole(void) {
  word.whole = 1;  // RACE: observed word
  end_turn();
}

static void part(void) {
  await_turn(1);
  word.bytes[5] = 2;  // RACE: observed word
}

int main(void) { run_two(whole, part); }
