// A thread that waits in a loop nobody sees loses its turn, and that is said.
// RUN: %norn-cc -O1 %s -o %t && %norn confirm --explore --strategy=rr --seed=0 --runs=1 --timeout=300 -- %t | FileCheck %s
// CHECK: its turn was taken away

#include <pthread.h>
#include <stdio.h>

static volatile int flag;

__attribute__((no_sanitize("thread"))) static void* spins(void* unused) {
  while (!flag) continue;
  return unused;
}

__attribute__((no_sanitize("thread"))) static void* sets(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, spins, 0);
  pthread_create(&b, 0, sets, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  puts("done");
  return 0;
}
