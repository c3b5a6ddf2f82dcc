// In each round one thread, the serial one, sums up what all have written, and a second barrier keeps the others from
// the next round until it has (POSIX.1-2017, XSH pthread_barrier_wait; XBD 4.12).
// NORACE
// RUN: %check %s

#include <pthread.h>

enum { kThreads = 3, kRounds = 2 };
pthread_barrier_t barrier;
long partial[kThreads];
long sums[kRounds];

static void* works(void* own) {
  for (int round = 0; round < kRounds; round++) {
    *(long*)own = 10 * (round + 1);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
      long sum = 0;
      for (int i = 0; i < kThreads; i++) {
        sum += partial[i];
      }
      sums[round] = sum;
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, works, &partial[i]);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return sums[0] != 30 || sums[1] != 60;
}
