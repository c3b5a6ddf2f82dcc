// A library that knows nothing of norn: a queue of pointers that blocks when it is empty.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static void* items[64];
static unsigned first, last;

void queue_put(void* item) {
  pthread_mutex_lock(&mutex);
  items[last++ % 64] = item;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&mutex);
}

void* queue_get(void (*before_wait)(void)) {
  pthread_mutex_lock(&mutex);
  before_wait();
  while (first == last) pthread_cond_wait(&filled, &mutex);
  void* item = items[first++ % 64];
  pthread_mutex_unlock(&mutex);
  return item;
}
