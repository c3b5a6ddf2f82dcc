// Locked increments in inline assembly do not race with each other.
// NORACE
// RUN: %check %s

#include "order.h"

int count;

static void adds(void) {
  for (int i = 0; i < 100; i++) __asm__ volatile("lock; incl %0" : "+m"(count)::"memory");
}

int main(void) {
  run_two(adds, adds);
  return count != 200;
}
