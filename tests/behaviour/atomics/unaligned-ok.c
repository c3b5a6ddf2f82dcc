// An unaligned number and the bytes on both sides of it.
// NORACE
// RUN: %check %s

#include "order.h"

struct __attribute__((packed)) {
  char before;
  long number;
  char after;
} record;

static void number(void) {
  for (int i = 0; i < 100; i++) record.number++;
}

static void sides(void) {
  for (int i = 0; i < 100; i++) record.before++, record.after++;
}

int main(void) { run_two(number, sides); }
