// The address of a thread-local variable is given to another thread.
// RUN: %check %s

#include "order.h"

_Thread_local int mine;
int* _Atomic lent;

static void lends(void) {
  mine = 1;  // RACE: observed <mine>
  __c11_atomic_store(&lent, &mine, __ATOMIC_RELAXED);
  end_turn();
  await_turn(2);
}

static void borrows(void) {
  await_turn(1);
  int* theirs = __c11_atomic_load(&lent, __ATOMIC_RELAXED);
  *theirs = 2;  // RACE: observed <mine>
  end_turn();
}

int main(void) { run_two(lends, borrows); }
