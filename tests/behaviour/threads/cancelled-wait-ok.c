// What is done before pthread_cancel comes before what the cancelled thread does in its clean-up handlers.
// RUN: %check %s
// NORACE

#include <pthread.h>

const char* reason;
int seen;
int ready;
int never;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER, waiting = PTHREAD_COND_INITIALIZER;

static void leave(void* unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
  seen = reason[0];
}

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&waiting);
  pthread_cleanup_push(leave, NULL);
  while (!never) pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&waiting, &mutex);
  pthread_mutex_unlock(&mutex);
  reason = "time is up";
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  return seen != 't';
}
