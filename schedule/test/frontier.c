// A state that takes many switches is met from one that took fewer: and the token has the way there in it.
// RUN: %norn-cc %s -o %t
// RUN: %norn confirm --explore --strategy=frontier --first --runs=400 --seed=5001 --jobs=1 --timeout=60 --fail-on=none --json=%t.json -- %t | FileCheck %s
// CHECK: norn: something went wrong in 1 of {{[0-9]+}} runs
// CHECK-NEXT: exit status in 1 of them: 9
// The way stands in the token as text: it is longer than any without one.
// RUN: sed -n 's/.*"replay": "\(n2[^"]*\)".*/\1/p' %t.json > %t.token && test $(wc -c < %t.token) -gt 40
// RUN: for i in 1 2 3 4; do %norn replay $(cat %t.token) -- %t 2> %t.errors; test $? = 9 && grep 'replayed identically' %t.errors || exit 1; done
#include <pthread.h>
#include <stdatomic.h>

enum { kTurns = 9 };
static atomic_int turns, broken;

// Each thread adds its steps; the other one has to come between any two of them.
static void* adds(void* number) {
  for (int i = 0; i < kTurns; ++i) {
    const int expected = 2 * i + (int)(long)number;
    if (atomic_fetch_add(&turns, 1) != expected) atomic_store(&broken, 1);
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, adds, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return atomic_load(&broken) ? 0 : 9;
}
