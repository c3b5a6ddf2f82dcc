// A size that goes far past the end of a block: what the kernel copies of it is copied, what faults does so where the
// memory ends, as without norn, and not after all that would have been accessed.
// SIGNAL: SIGSEGV
// RUN: %check %s

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "order.h"

static const size_t kBytes = 1 << 20;
static volatile size_t many = (size_t)1 << 30;
static volatile size_t too_many = (size_t)1 << 45;
int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  char* memory = (char*)mmap(NULL, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + kBytes, kBytes, PROT_NONE);
  const int file = memfd_create("copy", 0);
  if (write(file, memory, many) != (ssize_t)kBytes) abort();
  if (memory[kBytes - 1] != 0) abort();
  memset(memory, 1, too_many);
}

int main(void) {
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
}
