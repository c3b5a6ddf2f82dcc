// A signal that nobody waits for yet: some schedules wait for ever, and that is seen at once.
// RUN: %norn-cc %s -o %t && not %norn confirm --explore --runs=40 --timeout=5 -- %t | FileCheck %s
// CHECK: something went wrong in {{[0-9]+}} of 40 runs
// CHECK: deadlock in
// CHECK: waits for a condition variable: condition

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waits, 0);
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  return 0;
}
