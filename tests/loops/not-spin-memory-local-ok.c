// No spin and no race: loops over a thread's own memory.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

int cells[2][8];

static void work(int* mine) {
  int at = 0;
  while (at < 8 && mine[at] == 0) mine[at++] = 1;
  while (at > 0 && mine[at - 1] != 0) at--;
}

static void first(void) { work(cells[0]); }
static void second(void) { work(cells[1]); }
int main(void) { run_two(first, second); }
