// The second access comes after the spin lock was let go.
// RUN: %check %s

#include "order.h"

pthread_spinlock_t lock;
int x;

static void first(void) {
  pthread_spin_lock(&lock);
  pthread_spin_unlock(&lock);
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_spin_lock(&lock);
  x = 2;  // RACE: observed x
  pthread_spin_unlock(&lock);
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
}
