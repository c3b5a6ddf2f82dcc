// A mapped page is written and then unmapped by another thread.
// RUN: %check %s

#include <sys/mman.h>

#include "order.h"

int* page;

static void writes(void) {
  page[100] = 1;  // RACE: observed page
  end_turn();
}

static void unmaps(void) {
  await_turn(1);
  munmap(page, 4096);  // RACE: observed page
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(writes, unmaps);
}
