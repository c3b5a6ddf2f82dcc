// What --verbose=loops lists, and --dump-cfg writes.
// RUN: %norn-cc -O1 %s -o %t && %norn run --verbose=loops --dump-cfg=%t.dot -- %t 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=GRAPH %s < %t.dot
// RUN: %norn run --verbose=loops --fail-on=none --spin=0 --cv=off -- %t 2>&1 | FileCheck --check-prefix=OFF %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
volatile int stop;
int ready;

// CHECK-DAG: norn: loop at {{.*}}loops-listed.c:[[@LINE+8]] in waits: waits until changed is signalled{{$}}
// CHECK-DAG: norn: loop at {{.*}}loops-listed.c:[[@LINE+9]] in waits: spins until stop changes; a condition of 1 block{{$}}
// CHECK: norn: no races
// OFF-DAG: norn: loop at {{.*}} waits until changed is signalled; not honoured by these options
// OFF-DAG: norn: loop at {{.*}} spins until stop changes; a condition of 1 block; too many for --spin=0
// GRAPH: digraph loops
static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  while (!stop) {
  }
}
// GRAPH: label="{{.*}}loops-listed.c:
// GRAPH: n[[NUMBER:[0-9]+]]_0 {{.*}}style=filled
// GRAPH: -> left[[NUMBER]]

static void sets(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  stop = 1;
}

int main(void) { run_two(waits, sets); }
