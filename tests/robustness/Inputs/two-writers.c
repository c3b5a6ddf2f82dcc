// Nothing orders the two writes.
#include <pthread.h>

int x;

static void* writes(void* unused) {
  x = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  x = 2;
  pthread_join(thread, NULL);
  return 3;
}
