// Two threads count under one lock.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void* counts(void* unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, counts, NULL);
  pthread_create(&b, NULL, counts, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return x != 200;
}
