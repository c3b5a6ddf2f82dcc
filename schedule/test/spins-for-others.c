// A thread that waits in a loop for one that sleeps, or for one that is held back at the candidate's statement: time
// passes, and the other one is let go. Neither takes longer than the looks that show it.
// RUN: %norn-cc -O1 %s -o %t && %harmless
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn confirm --all --from=%S/Inputs/spins-for-others.txt --runs=5 --timeout=60 -- %t | FileCheck %s
// CHECK: unconfirmed after 5 runs
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

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, spins, 0);
  pthread_create(&b, 0, publishes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
