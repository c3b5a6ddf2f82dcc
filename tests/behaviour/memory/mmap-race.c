// Two threads write one mapped page.
// RUN: %check %s

#include <sys/mman.h>

#include "order.h"

int* page;

static void first(void) {
  page[100] = 1;  // RACE: observed page
  end_turn();
}

static void second(void) {
  await_turn(1);
  page[100] = 2;  // RACE: observed page
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
  munmap(page, 4096);
}
