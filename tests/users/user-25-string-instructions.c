// Line 25: rep stos in inline assembly writes memory.
// RUN: %check %s

#include "order.h"

char buffer[64];

static void clears(void) {
  void* to = buffer;
  size_t count = sizeof buffer;
  // The compiler is told which memory is written.
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(count), "=m"(buffer) : "a"(0));  // RACE: observed buffer
  end_turn();
}

static void pokes(void) {
  await_turn(1);
  buffer[40] = 1;  // RACE: observed buffer
}

int main(void) { run_two(clears, pokes); }
