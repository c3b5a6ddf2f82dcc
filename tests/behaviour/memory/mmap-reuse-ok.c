// A page unmapped by one thread and mapped again at the same address by another is a new page.
// NORACE
// UNORDERED: crash: both use one page
// RUN: %check %s

#include <sys/mman.h>

#include "order.h"

static void uses(void* where) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  int* page = mmap(where, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
  page[100] = 1;
  munmap(page, 4096);
}

char* hole;

static void first(void) {
  uses(hole + 4096);
  end_turn();
}

static void second(void) {
  await_turn(1);
  uses(hole + 4096);
}

int main(void) {
  hole = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
}
