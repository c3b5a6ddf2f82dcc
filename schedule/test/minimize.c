// The shortest schedule is shown as a story, kept as a file, and replays; a token of another program is refused.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- %t
// RUN: not %norn confirm --all --runs=10 --minimize -- %t | FileCheck %s
// RUN: not --crash %norn replay .norn/schedules/R*.schedule -- %t 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: %norn-cc -O1 -DOTHER %s -o %t.other
// RUN: not %norn replay .norn/schedules/R*.schedule -- %t.other 2>&1 | FileCheck %s --check-prefix=OTHER
// CHECK: confirmed in 10 of 10 runs, in both orders
// CHECK: failed assertion in
// CHECK: the shortest schedule found: {{[0-9]+}} preemption
// CHECK: thread 3 runs from its beginning
// CHECK: as a file for norn replay: .norn/schedules/R
// REPLAY: replayed identically
// OTHER: another program or another build of it

#include <assert.h>
#include <pthread.h>

static int ready;
#ifdef OTHER
static int other = 1;
#endif

static void* expects(void* unused) {
  assert(ready == 1);
  return unused;
}

static void* sets(void* unused) {
#ifdef OTHER
  ready = other;
#else
  ready = 1;
#endif
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, sets, 0);
  pthread_create(&a, 0, expects, 0);
  pthread_join(b, 0);
  pthread_join(a, 0);
  return 0;
}
