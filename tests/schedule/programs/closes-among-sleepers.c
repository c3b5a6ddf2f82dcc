// Closes descriptors while nobody can go on but by time: then it is looked at whether anything changes at all, and a
// descriptor is no memory that could be looked at.
#include <pthread.h>
#include <unistd.h>

static void* sleeper(void* unused) {
  (void)unused;
  for (int i = 0; i < 400; ++i) {
    usleep(1000);
    close(dup(1));
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  sleeper(NULL);
  pthread_join(thread, NULL);
  return 0;
}
