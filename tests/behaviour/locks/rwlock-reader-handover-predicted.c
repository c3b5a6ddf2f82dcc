// A reader lock let go before the writer lock was taken orders the accesses, by accident.
// RUN: %check %s

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
