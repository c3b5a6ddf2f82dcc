// Two hundred threads at once.
// RUN: %norn-cc %s -o %t && %norn confirm --explore --runs=2 --timeout=100 -- %t
// RUN: %norn confirm --explore --strategy=pct --runs=2 --timeout=100 -- %t

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 200 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* adds(void* unused) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) assert(pthread_create(&threads[i], 0, adds, 0) == 0);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  printf("%d\n", count);
  return 0;
}
