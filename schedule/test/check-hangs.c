// A program that stands still while it is checked is ended in time, and other schedules show why it did.
// RUN: %norn-cc %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn check --timeout=3 --runs=4 -- %t 2>&1 | FileCheck %s
// RUN: not %norn check --strategy=fast -- %t 2>&1 | FileCheck %s --check-prefix=FIRST
// CHECK: something went wrong in 4 of 4 runs
// CHECK-NEXT: deadlock in 4 of them: 1 thread{{$}}
// CHECK: waits for a lock: mutex; holds mutex
// CHECK: 1 confirmed, 1 of them with consequences
// FIRST-NOT: begins
// FIRST: --strategy=fast is not one of

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  puts("begins");
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  return 0;
}
