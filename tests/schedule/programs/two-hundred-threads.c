// Two hundred threads count under one lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kThreads = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  assert(count == kThreads);
}
