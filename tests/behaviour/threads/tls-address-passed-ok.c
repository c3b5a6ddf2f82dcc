// The address of a thread-local variable is published with release and got with acquire.
// NORACE
// UNORDERED: crash: the address may not be there yet
// RUN: %check %s

#include <stdatomic.h>

#include "order.h"

_Thread_local int mine;
int* _Atomic lent;

static void lends(void) {
  mine = 1;
  atomic_store_explicit(&lent, &mine, memory_order_release);
  end_turn();
  await_turn(2);
}

static void borrows(void) {
  await_turn(1);
  int* theirs = atomic_load_explicit(&lent, memory_order_acquire);
  *theirs = 2;
  end_turn();
}

int main(void) { run_two(lends, borrows); }
