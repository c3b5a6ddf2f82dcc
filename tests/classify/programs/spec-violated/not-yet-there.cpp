// What is not there yet is an exception that nobody catches.
#include <stdexcept>

#include "threads.h"

static volatile int entries;

static void* adds(void*) {
  // RACE add find: spec-violated exception|abort: looked for first, it is not there
  entries = 1;  // @add
  return nullptr;
}

static void* finds(void*) {
  later();
  int count = entries;  // @find
  if (count == 0) throw std::out_of_range("no entries");
  return nullptr;
}

int main() {
  run_both(adds, finds);
  printf("found\n");
}
