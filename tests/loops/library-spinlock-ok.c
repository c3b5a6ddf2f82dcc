// Library: a counter under a spin lock.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_spinlock_t lock;
int x;

static void work(void) {
  for (int i = 0; i < 10; ++i) {
    pthread_spin_lock(&lock);
    x++;
    pthread_spin_unlock(&lock);
  }
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_two(work, work);
}
