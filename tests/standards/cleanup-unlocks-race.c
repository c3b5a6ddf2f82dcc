// A thread that waits on a condition is cancelled. It has the mutex again when its clean-up handlers run (POSIX.1-2017,
// XSH 2.9.5, pthread_cond_wait); the handler unlocks first and counts the thread out then, which no mutex protects.
// RUN: %check %s

#include <pthread.h>

int waiters;
int never;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER, waiting = PTHREAD_COND_INITIALIZER;

static void leave(void* unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
  waiters--;  // RACE: observed waiters
}

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  waiters++;
  pthread_cond_signal(&waiting);
  pthread_cleanup_push(leave, NULL);
  while (!never) pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void) {
  int left;
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  pthread_mutex_lock(&mutex);
  while (waiters == 0) pthread_cond_wait(&waiting, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  left = waiters;  // RACE: observed waiters
  pthread_join(thread, NULL);
  return left < 0 || left > 1;
}
