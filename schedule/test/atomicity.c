// A test and a use in two regions of one lock: whether something may come between is a candidate, and what it breaks a
// finding. In one region it is none; nor under a lock that all hold around it, nor between threads that never meet, nor
// in a loop that comes round. A pair that nothing depends on is not confirmed.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn run --hazards=atomicity -- %t 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: not %norn confirm --all --runs=30 -- %t | FileCheck %s --check-prefix=CONFIRM
// RUN: not %norn check --hazards=lock-order,atomicity --runs=30 --json=check.json -- %t 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: FileCheck %s --check-prefix=JSON < check.json
// RUN: not %norn confirm --all --from=check.json --runs=30 -- %t | FileCheck %s --check-prefix=CONFIRM
// RUN: for other in ONE_REGION GATE ORDERED ROUNDS; do %norn-cc -O1 -D$other %s -o %t.other && %norn run --hazards=atomicity -- %t.other 2>&1 | FileCheck %s --check-prefix=NONE || exit 1; done
// RUN: %norn-cc -O1 -DHARMLESS %s -o %t.harmless && %norn check --hazards=atomicity --runs=30 -- %t.harmless 2>&1 | FileCheck %s --check-prefix=HARMLESS
// RUN: NORN_OPTIONS=schedule=rr %norn run -- %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %norn run --hazards=atomicty -- %t 2>&1 | FileCheck %s --check-prefix=MISTYPED
// FOUND: norn: atomicity of current: the lock is given up between two accesses · R
// FOUND-NEXT: thread 2 reads, then gives the lock up and takes it again
// FOUND: thread 3 writes, which may come in between
// FOUND: thread 2 reads, as if nothing had happened
// FOUND: next: norn confirm R
// FOUND: norn: no races
// CONFIRM: atomicity of current (atomicity.c:[[#]] read / atomicity.c:[[#]] write / atomicity.c:[[#]] read): confirmed in
// CONFIRM-NEXT: crash in [[#]] of them: SIGSEGV
// CONFIRM-NEXT: the other thread came between in [[#]] of 30 runs
// CONFIRM-NEXT: replay: norn replay n2
// CHECK: atomicity of current {{.*}} confirmed in
// CHECK: 1 to confirm: 1 confirmed, 1 of them with consequences
// JSON: "kind": "atomicity"
// JSON: "standing": "confirmed"
// NONE-NOT: atomicity
// NONE: norn: no races
// NONE-NOT: atomicity
// HARMLESS: atomicity of current {{.*}} no harm in 30 runs
// HARMLESS-NEXT: the other thread came between in {{[1-9][0-9]*}} of 30 runs
// MISTYPED: --hazards=atomicty is not one of lock-order, atomicity, misuse, thread-leak or signals; did you mean atomicity?

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value = 7;
static int* current = &value;

static int* get(void) {
  pthread_mutex_lock(&mutex);
  int* got = current;
  pthread_mutex_unlock(&mutex);
  return got;
}

static void* use(void* unused) {
#if defined(ONE_REGION)
  pthread_mutex_lock(&mutex);
  if (current != NULL) *current = 8;
  pthread_mutex_unlock(&mutex);
#elif defined(GATE)
  pthread_mutex_lock(&gate);
  if (get() != NULL) *get() = 8;
  pthread_mutex_unlock(&gate);
#elif defined(ROUNDS)
  for (int i = 0; i < 3; ++i) get();
#elif defined(HARMLESS)
  int* first = get();
  int* second = get();
  if (first != NULL && second != NULL) *first = *second;
#else
  if (get() != NULL) *get() = 8;
#endif
  return unused;
}

static void* clear(void* unused) {
#ifdef GATE
  pthread_mutex_lock(&gate);
#endif
  pthread_mutex_lock(&mutex);
  current = NULL;
  pthread_mutex_unlock(&mutex);
#ifdef GATE
  pthread_mutex_unlock(&gate);
#endif
  return unused;
}

int main(void) {
  (void)gate;
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
#ifdef ORDERED
  pthread_join(a, 0);
#endif
  pthread_create(&b, 0, clear, 0);
#ifndef ORDERED
  pthread_join(a, 0);
#endif
  pthread_join(b, 0);
  return 0;
}
