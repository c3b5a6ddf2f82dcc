// Threads that wait in a loop without yielding: on a flag, on an atomic, on the clock, and where nobody sees it.
// RUN: %norn-cc -O1 %s -o %t && %harmless
// RUN: %replays 2 %t

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static volatile int flag;
static atomic_int counter;

static void* spins(void* unused) {
  while (!flag) continue;
  return unused;
}

static void* spins_atomically(void* unused) {
  while (atomic_load(&counter) == 0) continue;
  return unused;
}

static void* waits_for_the_clock(void* unused) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 20000000);
  return unused;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, spins, 0);
  pthread_create(&b, 0, spins_atomically, 0);
  pthread_create(&c, 0, waits_for_the_clock, 0);
  atomic_store(&counter, 1);
  flag = 1;
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  puts("done");
  return 0;
}
