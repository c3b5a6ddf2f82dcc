// norn replay --gdb stops where both threads stand before their statements, and shows their stacks.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- %t
// RUN: not %norn confirm --all --runs=3 -- %t | sed -n 's/.*norn replay \(n2[^ ]*\) .*/\1/p' > token
// RUN: %norn replay --gdb $(cat token) -- %t < /dev/null 2>&1 | FileCheck %s
// CHECK: hit Breakpoint 1, {{.*}}__norn_on_meeting
// CHECK: norn: its threads {{[23]}} and {{[23]}} stand before their statements
// CHECK-NOT: runtime/
// CHECK-DAG: in looks {{.*}}debugger.c:19
// CHECK-DAG: in sets {{.*}}debugger.c:24

#include <pthread.h>
#include <stdio.h>

static int ready;
static int seen;

static void* looks(void* unused) {
  seen = ready;
  return unused;
}

static void* sets(void* unused) {
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, sets, 0);
  pthread_create(&a, 0, looks, 0);
  pthread_join(b, 0);
  pthread_join(a, 0);
  printf("%d\n", seen);
  return 0;
}
