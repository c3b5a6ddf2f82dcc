// A run that has no time to end shows all the same that the two met. (By this seed the reader comes first, and computes
// without an end.)
// RUN: %norn-cc -O1 -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- %t
// RUN: not %norn confirm --all --runs=1 --jobs=1 --seed=1 --budget=15 -- %t 2>&1 | FileCheck %s
// CHECK: race on value {{.*}}: confirmed in 1 of 1 runs

#include <pthread.h>

static int value;

static void* writes(void* unused) {
  value = 1;
  return unused;
}

static void* reads(void* unused) {
  if (value == 0) {
    for (;;) __asm__ volatile("");
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writes, NULL);
  pthread_create(&b, NULL, reads, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
