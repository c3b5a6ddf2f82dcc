// The address of a thread-local variable is given to another thread.
// RUN: %check %s

#include <stdatomic.h>

#include "order.h"

_Thread_local int mine;
int* _Atomic lent;

static void lends(void) {
  mine = 1;  // RACE: observed <mine>
  atomic_store_explicit(&lent, &mine, memory_order_relaxed);
  end_turn();
  await_turn(2);
}

static void borrows(void) {
  await_turn(1);
  int* theirs = atomic_load_explicit(&lent, memory_order_relaxed);
  *theirs = 2;  // RACE: observed <mine>
  end_turn();
}

int main(void) { run_two(lends, borrows); }
