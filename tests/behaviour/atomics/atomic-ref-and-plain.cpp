// One thread uses atomic_ref, the other does not.
// RUN: %check %s

#include <atomic>

#include "order.h"

int x;

static void atomically() {
  std::atomic_ref(x).fetch_add(1);  // RACE: observed x
  end_turn();
}

static void plainly() {
  await_turn(1);
  x++;  // RACE: observed x
}

int main() { run_two(atomically, plainly); }
