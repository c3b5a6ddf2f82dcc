// What an accepted race does when a schedule brings it together does not fail norn check: exploring meets the assertion
// that it breaks, and the race, brought together, breaks the same. Under control a sleeper may wake early.
// RUN: %norn-cc -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn check --runs=40 -- %t 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %norn accept $(%norn list | sed -n 's/^\(R[0-9a-f]*\) .*/\1/p') --reason=known
// RUN: %norn check --runs=40 -- %t > after.txt 2>&1
// RUN: FileCheck %s --check-prefix=AFTER --input-file=after.txt
//
// BEFORE: race on ready {{.*}}: confirmed
// BEFORE: failed assertion in
// AFTER: failed assertion in
// AFTER: not counted: R{{[0-9a-f]+}} does the same (race on ready), and is accepted or suppressed
// AFTER: 1 accepted race not counted
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ready;

static void* prepare(void* unused) {
  (void)unused;
  ready = 1;
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, prepare, NULL);
  sleep(2);  // long enough, as programs think
  assert(ready == 1);
  pthread_join(other, NULL);
  return 0;
}
