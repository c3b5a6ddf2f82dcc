// An atomic write and a plain read of the same variable.
// RUN: %check %s

#include "order.h"

int x;
int seen;

static void writes() {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);  // RACE: observed x
  end_turn();
}

static void reads() {
  await_turn(1);
  seen = x;  // RACE: observed x
}

int main() { run_two(writes, reads); }
