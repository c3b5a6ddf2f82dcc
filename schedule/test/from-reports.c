// Candidates of a JSON report and of ThreadSanitizer's text; races that are not there are refused with the near ones.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run --json=report.json -- %t
// RUN: not %norn confirm --from=report.json --all --runs=5 --json=verdicts.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < verdicts.json
// RUN: not %norn confirm --from=%S/Inputs/tsan.txt --all --runs=5 -- %t | FileCheck %s
// RUN: not %norn confirm Rffffffffffff -- %t 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not %norn confirm --from=%s --all -- %t 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not %norn confirm --all --strategy=randon -- %t 2>&1 | FileCheck %s --check-prefix=STRATEGY
// CHECK: confirmed in 5 of 5 runs, in
// CHECK: exit status in 5 of them: 3
// JSON-DAG: "standing": "confirmed"
// JSON-DAG: "kind": "status"
// JSON-DAG: "mean_events":
// NEAR: no race Rffffffffffff; the nearest: R{{[0-9a-f]+}}
// NEITHER: neither a report of ThreadSanitizer nor one of norn: it is not a JSON report of norn (norn run --json=FILE)
// STRATEGY: did you mean random?

#include <pthread.h>
#include <stdio.h>

static int counter;

static void* adds(void* unused) {
  counter++;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", counter);
  return counter == 2 ? 0 : 3;
}
