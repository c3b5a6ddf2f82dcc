// A thread cancelled in a wait has its mutex again in its clean-up, and releases it there.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int x;

static void clean_up(void* unused) {
  (void)unused;
  x++;
  pthread_mutex_unlock(&mutex);
}

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean_up, NULL);
  end_turn();
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  await_turn(1);
  pthread_mutex_lock(&mutex);
  x++;
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  pthread_mutex_lock(&mutex);
  x++;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return x != 3;
}
