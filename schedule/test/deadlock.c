// Two locks in two orders: norn run says so, norn confirm drives the threads into it and shows where they stand.
// RUN: %norn-cc %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr %norn run -- %t 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not %norn confirm --all --runs=10 -- %t | FileCheck %s
// LIST: lock order: {{first, second|second, first}} are taken in different orders: possible deadlock
// CHECK: lock order: {{.*}}: confirmed in 10 of 10 runs
// CHECK: deadlock in 10 of them
// CHECK: deadlock: 3 threads wait for what never comes
// CHECK-DAG: waits for a lock: second
// CHECK-DAG: holds first, taken at deadlock.c:{{.*}}
// CHECK-DAG: waits for a lock: first
// CHECK-DAG: holds second, taken at deadlock.c:{{.*}}
// CHECK: replay: norn replay n2

#include <pthread.h>

#include "order.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void* forward(void* unused) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return unused;
}

static void* backward(void* unused) {
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, forward, 0);
  pthread_create(&b, 0, backward, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
