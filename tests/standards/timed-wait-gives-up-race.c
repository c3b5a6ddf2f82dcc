// A wait with a deadline that has passed returns ETIMEDOUT with the mutex locked (POSIX.1-2017, XSH
// pthread_cond_timedwait). Who gave up looks at the state under that mutex, but the worker writes it without: nothing
// orders the two (XBD 4.12).
// RUN: %check %s

#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int never;
int state;

static void* worker(void* unused) {
  (void)unused;
  state = 1;  // RACE: observed state
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct timespec past = {.tv_sec = 1};
  int result = 0, seen = 0;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  while (!never && result != ETIMEDOUT) result = pthread_cond_timedwait(&changed, &lock, &past);
  seen = state;  // RACE: observed state
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return seen > 1;
}
