// Home-made once: the first initialises, the others spin until that is done.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { kNew, kBusy, kDone };
static int state;
int table;
int seen[3];

static void initialise_once(void) {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != kDone) {
    if (__sync_bool_compare_and_swap(&state, kNew, kBusy)) {
      table = 7;
      __atomic_store_n(&state, kDone, __ATOMIC_RELEASE);
    } else {
      while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != kDone) {
      }
    }
  }
}

static void work(int me) {
  initialise_once();
  seen[me] = table;
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  const Body bodies[] = {first, second, third};
  run_many(bodies, 3);
}
