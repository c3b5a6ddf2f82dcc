// A thread that waits in a loop for one that sleeps, or for one that is held back at the candidate's statement, or by
// trying a lock: time passes, and the other one is let go. Nothing takes longer than the looks that show it.
// RUN: %norn-cc -O1 %s -o %t && %harmless
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn confirm --all --from=%S/Inputs/spins-for-others.txt --runs=5 --timeout=60 -- %t | FileCheck %s
// CHECK: not met in 5 runs
// CHECK-NEXT: nothing seen in 5 of them

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int value;
static atomic_int published;
static volatile int woke;

static void* publishes(void* unused) {
  value = 7;
  atomic_store(&published, 1);
  sleep(1000);
  woke = 1;
  return unused;
}

static void* spins(void* unused) {
  while (atomic_load(&published) == 0) continue;
  if (value != 7) _exit(3);
  while (!woke) continue;
  return unused;
}

static pthread_mutex_t taken_for_good = PTHREAD_MUTEX_INITIALIZER;

static void* tries(void* unused) {
  while (pthread_mutex_trylock(&taken_for_good) == 0) pthread_mutex_unlock(&taken_for_good);
  return unused;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&c, 0, tries, 0);
  pthread_create(&a, 0, spins, 0);
  pthread_create(&b, 0, publishes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_mutex_lock(&taken_for_good);
  pthread_join(c, 0);
  return 0;
}
