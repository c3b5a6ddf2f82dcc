// Large blocks come and go, by malloc, realloc and mmap, each time at other addresses. What norn knows of them goes
// with them, and what comes to be at their addresses is new and is checked.
// STDOUT: small and whole
// RUN: %check %s
// RUN: gcc-12 -g -O1 -pthread -I %S/../behaviour %s -o %t && %norn run --binary -- %t >%t.out 2>%t.err; test $? -eq 66
// RUN: grep -x 'small and whole' %t.out && grep 'at.kBlock / 2. = 2' %t.err

#include <stdio.h>
#include <sys/mman.h>

#include "order.h"

enum { kRounds = 2, kMegabyte = 1 << 20, kBlock = 40 * kMegabyte, kMoreMegabytes = 60 };

char* volatile block;  // others might see it
char* last;
long at_first;
int small = 1;
int whole = 1;

static long resident_megabytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) pages = 1L << 30;
  if (file != NULL) fclose(file);
  return pages / (kMegabyte / 4096);
}

// Enough for all of its shadow.
static void touch(size_t size) {
  for (size_t i = 0; i < size; i += 512) block[i] = (char)(i >> 9);
}

static int is_as_touched(size_t size) {
  for (size_t i = 0; i < size; i += 512) {
    if (block[i] != (char)(i >> 9)) return 0;
  }
  return 1;
}

static void one_round(size_t size) {
  block = malloc(size);
  touch(size);
  block = realloc(block, 2 * size);
  whole &= is_as_touched(size);
  free(block);
  small &= resident_megabytes() < at_first + kMoreMegabytes;

  block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  touch(size);
  whole &= is_as_touched(size);
  munmap(block, size);
  small &= resident_megabytes() < at_first + kMoreMegabytes;
}

static void first(void) {
  at_first = resident_megabytes();
  for (size_t i = 0; i < kRounds; i++) one_round(kBlock + i * kMegabyte);
  char* at = malloc(kBlock);
  __atomic_store_n(&last, at, __ATOMIC_RELAXED);
  at[kBlock / 2] = 1;  // RACE: observed at
  end_turn();
}

static void second(void) {
  await_turn(1);
  char* at = __atomic_load_n(&last, __ATOMIC_RELAXED);
  at[kBlock / 2] = 2;  // RACE: observed at
}

int main(void) {
  run_two(first, second);
  free(last);
  printf("%s and %s\n", small ? "small" : "large", whole ? "whole" : "broken");
}
