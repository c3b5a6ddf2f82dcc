// A loop that goes far past the end of its array ends where the memory does, as without norn, and not after all that it
// would have accessed.
// SIGNAL: SIGSEGV
// RUN: %check %s

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "order.h"

int x;

__attribute__((noinline)) static double total(const double* from, size_t n) {
  double all = 0;
  for (size_t i = 0; i < n; ++i) all += from[i];
  return all;
}

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  const size_t bytes = 1 << 20;
  char* memory = (char*)mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + bytes, bytes, PROT_NONE);
  static volatile double result;
  result = total((double*)memory, (size_t)1 << 40);
}

int main(void) {
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
}
