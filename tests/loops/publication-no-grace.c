// Read-copy-update in small: the old version is freed at once.
// RUN: %check %s --levels=-O0,-O2

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  int a;
} Version;

Version* current;
int seen;

static void reads(void) {
  Version* mine = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  seen = mine->a;  // RACE: observed <version>
  end_turn();
}

static void updates(void) {
  await_turn(1);
  Version* old = __atomic_load_n(&current, __ATOMIC_RELAXED);
  Version* fresh = malloc(sizeof(Version));
  fresh->a = 3;
  __atomic_store_n(&current, fresh, __ATOMIC_RELEASE);
  free(old);  // RACE: observed <version>
}

int main(void) {
  current = malloc(sizeof(Version));
  current->a = 1;
  run_two(reads, updates);
  free(current);
}
