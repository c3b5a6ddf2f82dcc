// What is no race stands in every kind of report: a lock order that may deadlock, a lock that is given up too early, and
// a deadlock that happened.
// RUN: %norn-cc -O1 -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn run --hazards=lock-order,atomicity --json=r.json --sarif=r.sarif --xml=r.xml --html=r.html -- %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=JSON --input-file=r.json
// RUN: FileCheck %s --check-prefix=SARIF --input-file=r.sarif
// RUN: FileCheck %s --check-prefix=XML --input-file=r.xml
// RUN: FileCheck %s --check-prefix=HTML --input-file=r.html
// RUN: %norn show | FileCheck %s --check-prefix=SHOW
// RUN: %norn show $(%norn show | sed -n 's/^\(R[0-9a-f]*\) .*lock order.*/\1/p') | FileCheck %s --check-prefix=ONE
// RUN: not %norn show R0123 2>&1 | FileCheck %s --check-prefix=NEAR
// TEXT-DAG: lock order: {{.*}}locks[1]{{.*}} are taken in different orders: possible deadlock
// TEXT-DAG: atomicity of total: the lock is given up between two accesses
// JSON-DAG: "kind": "lock-order"
// JSON-DAG: "kind": "atomicity"
// JSON-DAG: "does": "reads, then gives the lock up and takes it again"
// SARIF-DAG: "ruleId": "norn.lock-order"
// SARIF-DAG: "ruleId": "norn.atomicity"
// XML: <kind>LockOrder</kind>
// HTML-COUNT-2: "record":"hazard"
// SHOW-DAG: R{{[0-9a-f]*}}  predicted    lock order: {{.*}}hazards-in-reports.c:{{[0-9]+}} / hazards-in-reports.c:{{[0-9]+}}
// SHOW-DAG: R{{[0-9a-f]*}}  predicted    atomicity of total
// ONE: lock order: {{.*}} are taken in different orders
// ONE-NEXT: thread {{[0-9]+}} holds locks[{{[01]}}] (taken at hazards-in-reports.c:{{[0-9]+}}) and takes locks[{{[01]}}]
// NEAR: the nearest: R
//
// Under control a deadlock is the end of the run, and the exit status says so.
// RUN: not env NORN_OPTIONS=schedule=rr %norn run --json=d.json --sarif=d.sarif --xml=d.xml --html=d.html -- %t twice > d.txt 2>&1
// RUN: FileCheck %s --check-prefix=DEADLOCK --input-file=d.txt
// RUN: FileCheck %s --check-prefix=DJSON --input-file=d.json
// RUN: FileCheck %s --check-prefix=DSARIF --input-file=d.sarif
// RUN: FileCheck %s --check-prefix=DEADLOCK --input-file=d.xml
// RUN: FileCheck %s --check-prefix=DEADLOCK --input-file=d.html
// RUN: env NORN_OPTIONS=schedule=rr %norn run --fail-on=none -- %t twice > d.txt 2>&1 || test $? = 1
// RUN: not env NORN_OPTIONS=schedule=rr %norn check -- %t twice 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: deadlock: 1 thread waits for what never comes
// DEADLOCK: waits for a lock: locks[0]; holds locks[0], taken at hazards-in-reports.c:{{[0-9]+}}
// DJSON: "kind": "deadlock"
// DJSON-NEXT: "standing": "observed"
// DSARIF: "ruleId": "norn.deadlock"

#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int total;

static void lock_both(int first) {
  pthread_mutex_lock(&locks[first]);
  pthread_mutex_lock(&locks[1 - first]);
  pthread_mutex_unlock(&locks[1 - first]);
  pthread_mutex_unlock(&locks[first]);
}

static void add_one(void) {
  pthread_mutex_lock(&locks[0]);
  int seen = total;
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_lock(&locks[0]);
  total = seen + 1;
  pthread_mutex_unlock(&locks[0]);
}

static void* work(void* first) {
  lock_both((int)(long)first);
  add_one();
  return first;
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) {
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[0]);
  }
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (long i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
