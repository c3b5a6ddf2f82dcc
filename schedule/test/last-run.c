// What there is to confirm is what the last run of the same program found, whatever ran since.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %norn-cc -g -DRACES %s -o races && %norn-cc -g %s -o races-not
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- ./races
// RUN: %norn run -- ./races-not
// RUN: not %norn confirm --all --runs=3 -- ./races | FileCheck %s --check-prefix=RACES
// RUN: %norn confirm --all -- ./races-not 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %norn check -- ./races-not 2>&1 | FileCheck %s --check-prefix=CHECK
// RACES: race on sum {{.*}}: confirmed in 3 of 3 runs
// NONE: nothing to confirm: there are no races in the last run of ./races-not
// CHECK: no races found, nothing to confirm

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* unused) {
#ifndef RACES
  pthread_mutex_lock(&mutex);
#endif
  ++sum;
#ifndef RACES
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}

int main(void) {
  (void)mutex;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
