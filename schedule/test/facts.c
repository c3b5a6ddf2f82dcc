// What detection saw and what confirmation showed are kept apart. The race on data is observed, and no schedule can meet
// it, because whoever reads it has read the flag: it stays observed. The race on the flag is confirmed, and so is the
// lock order; whoever asks later is told so, with the token.
// RUN: %norn-cc -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn check --runs=8 --json=check.json --sarif=check.sarif -- %t > check.txt 2>&1
// RUN: FileCheck %s --check-prefix=CHECK --input-file=check.txt
// RUN: FileCheck %s --check-prefix=JSON --input-file=check.json
// RUN: FileCheck %s --check-prefix=SARIF --input-file=check.sarif
// RUN: %norn show | FileCheck %s --check-prefix=SHOW -DALL=8
// RUN: %norn show $(%norn show | sed -n 's/^\(R[0-9a-f]*\) .* flag .*/\1/p') | FileCheck %s --check-prefix=ONE
// RUN: %norn report | FileCheck %s --check-prefix=TEXT
// RUN: %norn report --json=report.json && FileCheck %s --check-prefix=JSON --input-file=report.json
// RUN: %norn replay $(%norn show | sed -n 's/.*confirmed.*norn replay \(n2[^ ]*\) .*/\1/p') -- %t 2>&1 | FileCheck %s --check-prefix=REPLAY
//
// CHECK: race on flag {{.*}}: confirmed in {{[1-8]}} of 8 runs
// CHECK: race on data {{.*}}: not met in 8 runs
// CHECK: 2 to confirm: 1 confirmed, {{.*}}; 1 not met
// JSON: "standing": "confirmed"
// JSON: "standing": "observed"
// JSON: "runs": 8
// JSON-NEXT: "confirmed": {{[1-8]}}
// JSON-NEXT: "token": "n2{{.+}}"
// JSON-NEXT: "strategy": "race-directed"
// JSON: "class": "output-differs"
// JSON: "name": "flag"
// JSON: "replay": "n2{{.+}}"
// JSON: "standing": "observed"
// JSON: "standing": "observed"
// JSON: "runs": 8
// JSON-NEXT: "confirmed": 0
// JSON-NEXT: "token": null
// JSON: "classification": null
// JSON: "name": "data"
// JSON: "replay": null
// SARIF: "ruleId": "norn.race.confirmed"
// SARIF: "ruleId": "norn.race.observed"
// SARIF: "level": "error"
// SHOW: R{{[0-9a-f]+}}  confirmed {{.*}} flag {{.*}}
// SHOW-NEXT: confirmed in {{[0-9]+}} of [[ALL]] runs; replay: norn replay n2{{[^ ]+}} -- {{.*}}facts
// SHOW-NEXT: output-differs: output, k = {{[0-9]+}}; replay: norn replay n2{{[^ ]+}} -- {{.*}}facts
// SHOW-NEXT: R{{[0-9a-f]+}}  observed {{.*}} data {{.*}}
// SHOW-NEXT: observed · not met in [[ALL]] runs
// SHOW: 2 races (1 confirmed, 1 observed, 0 predicted)
// ONE: race on flag {{.*}}confirmed in {{[1-8]}} of 8 runs · {{.*}} · R
// ONE: next: norn replay n2{{[^ ]+}} -- {{.*}}facts
// TEXT: race on data {{.*}}observed · not met in 8 runs · {{.*}} · R
// REPLAY: replayed identically
//
// What is tried again adds up; so does what is taken from a report of the same run.
// RUN: not %norn confirm --all --runs=2 --seed=9 -- %t
// RUN: %norn show | FileCheck %s --check-prefix=SHOW -DALL=10
// RUN: not %norn confirm --from=check.json --all --runs=2 --seed=19 --json=confirm.json -- %t
// RUN: %norn show | FileCheck %s --check-prefix=SHOW -DALL=12
// RUN: FileCheck %s --check-prefix=CONFIRM --input-file=confirm.json
// CONFIRM-DAG: "standing": "confirmed"
// CONFIRM-DAG: "standing": "observed"
//
// A race that was only observed fails a check, unless another choice was made.
// RUN: NORN_OPTIONS=schedule=rr %norn check --runs=2 --fail-on=confirmed -- %t relaxed
// RUN: NORN_OPTIONS=schedule=rr not %norn check --runs=2 -- %t relaxed
//
// RUN: NORN_OPTIONS=schedule=rr not %norn check --runs=8 --json=locks.json -- %t locks
// RUN: FileCheck %s --check-prefix=LOCKS --input-file=locks.json
// RUN: %norn report --json=again.json && FileCheck %s --check-prefix=LOCKS --input-file=again.json
// RUN: %norn show | FileCheck %s --check-prefix=SHOWLOCKS
// RUN: %norn report | FileCheck %s --check-prefix=TEXTLOCKS
// LOCKS: "kind": "lock-order"
// LOCKS-NEXT: "standing": "confirmed"
// LOCKS: "standing": "predicted"
// LOCKS: "runs": 8
// LOCKS-NEXT: "confirmed": {{[1-8]}}
// LOCKS: "replay": "n2{{.+}}"
// SHOWLOCKS: R{{[0-9a-f]+}}  confirmed    lock order: {{.*}}
// SHOWLOCKS-NEXT: confirmed in {{[1-8]}} of 8 runs; replay: norn replay n2{{[^ ]+}} -- {{.*}}facts{{.*}} locks
// TEXTLOCKS: possible deadlock · confirmed in {{[1-8]}} of 8 runs · R
// TEXTLOCKS: replay: n2

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCKS ((void*)1)
#define RELAXED ((void*)2)
static int data, flag;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void* publish(void* mode) {
  if (mode == LOCKS) {
    take(&a, &b);
    return NULL;
  }
  data = 1;
  if (mode == RELAXED) {
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  } else {
    flag = 1;
  }
  return NULL;
}

static void* consume(void* mode) {
  if (mode == LOCKS) {
    take(&b, &a);
    return NULL;
  }
  if (mode == RELAXED ? __atomic_load_n(&flag, __ATOMIC_RELAXED) : flag) printf("%d\n", data);
  return NULL;
}

int main(int argc, char** argv) {
  void* mode = argc < 2 ? NULL : strcmp(argv[1], "locks") == 0 ? LOCKS : RELAXED;
  pthread_t first, second;
  pthread_create(&first, NULL, publish, mode);
  usleep(100000);
  pthread_create(&second, NULL, consume, mode);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
