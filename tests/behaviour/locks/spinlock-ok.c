// A spin lock is a lock, got by waiting or by trying.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_spinlock_t lock;
int x;

static void waits(void) {
  for (int i = 0; i < 100; i++) {
    pthread_spin_lock(&lock);
    x++;
    pthread_spin_unlock(&lock);
  }
}

static void tries(void) {
  for (int i = 0; i < 100; i++) {
    if (pthread_spin_trylock(&lock) != 0) continue;
    x++;
    pthread_spin_unlock(&lock);
  }
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(waits, tries);
  pthread_spin_destroy(&lock);
}
