// A library that creates two threads, one after the other.
#include <pthread.h>
#include <stddef.h>

static void* nothing(void* unused) { return unused; }

void library_works(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
  }
}
