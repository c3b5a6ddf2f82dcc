// One thread sorts an array by qsort, another looks something up in it by bsearch; both hold a mutex meanwhile.
// RUN: %check %s
// NORACE

#include <pthread.h>
#include <stdlib.h>

long scores[64];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int ascending(const void* a, const void* b) {
  long one = *(const long*)a, other = *(const long*)b;
  return (one > other) - (one < other);
}

static void* sorts(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  qsort(scores, 64, sizeof scores[0], ascending);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  long wanted = 7;
  void* found;
  for (int i = 0; i < 64; i++) scores[i] = i * 37 % 64;
  if (pthread_create(&thread, NULL, sorts, NULL) != 0) return 1;
  pthread_mutex_lock(&mutex);
  found = bsearch(&wanted, scores, 64, sizeof scores[0], ascending);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return found == scores + 64;
}
