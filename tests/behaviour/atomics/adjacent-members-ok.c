// Members of different sizes, side by side.
// NORACE
// RUN: %check %s

#include "order.h"

struct {
  char a;
  char b;
  short c;
  int d;
  long e;
} record;

static void first(void) {
  for (int i = 0; i < 100; i++) record.a++, record.c++, record.e++;
}

static void second(void) {
  for (int i = 0; i < 100; i++) record.b++, record.d++;
}

int main(void) { run_two(first, second); }
