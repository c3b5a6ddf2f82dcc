// Neighbouring bytes of one word belong to different threads.
// NORACE
// RUN: %check %s

#include "order.h"

char bytes[8];

static void even(void) {
  for (int round = 0; round < 100; round++)
    for (int i = 0; i < 8; i += 2) bytes[i]++;
}

static void odd(void) {
  for (int round = 0; round < 100; round++)
    for (int i = 1; i < 8; i += 2) bytes[i]++;
}

int main(void) { run_two(even, odd); }
