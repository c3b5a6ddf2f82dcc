// Home-made once: who finds it begun takes it for done.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { kNew, kBusy, kDone };
static int state;
int table;
int seen;

static void first(void) {
  int expected = kNew;
  if (__atomic_compare_exchange_n(&state, &expected, kBusy, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    end_turn();
    await_turn(2);
    table = 7;  // RACE: observed table
    __atomic_store_n(&state, kDone, __ATOMIC_RELEASE);
  }
}

static void second(void) {
  await_turn(1);
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == kNew) return;
  seen = table;  // RACE: observed table
  end_turn();
}

int main(void) { run_two(first, second); }
