// Two increments, each under the reader lock, and both hold it at the same time.
// RUN: %check %s

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void add(int turn) {
  pthread_rwlock_rdlock(&lock);
  await_turn(turn);
  x++;  // RACE: observed x
  end_turn();
  await_turn(2);
  pthread_rwlock_unlock(&lock);
}

static void first(void) { add(0); }

static void second(void) { add(1); }

int main(void) { run_two(first, second); }
