// The address of a thread-local variable is published with release and got with acquire.
// NORACE
// RUN: %check %s

#include "order.h"

_Thread_local int mine;
int* _Atomic lent;

static void lends(void) {
  mine = 1;
  __c11_atomic_store(&lent, &mine, __ATOMIC_RELEASE);
  end_turn();
  await_turn(2);
}

static void borrows(void) {
  await_turn(1);
  int* theirs = __c11_atomic_load(&lent, __ATOMIC_ACQUIRE);
  *theirs = 2;
  end_turn();
}

int main(void) { run_two(lends, borrows); }
