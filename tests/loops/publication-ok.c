// Read-copy-update in small: a new version is published, and the old one freed when the reader has said that it is
// past.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  int a, b;
} Version;

Version* volatile current;
static volatile int quiet;
int seen;

static void reads(void) {
  for (int i = 0; i < 3; ++i) {
    Version* mine = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    seen += mine->a + mine->b;
  }
  quiet = 1;
}

static void updates(void) {
  Version* old = __atomic_load_n(&current, __ATOMIC_RELAXED);
  Version* fresh = malloc(sizeof(Version));
  fresh->a = 3;
  fresh->b = 4;
  __atomic_store_n(&current, fresh, __ATOMIC_RELEASE);
  while (!quiet) {
  }
  free(old);
}

int main(void) {
  Version* initial = malloc(sizeof(Version));
  initial->a = 1;
  initial->b = 2;
  current = initial;
  run_two(reads, updates);
  free(current);
}
