// A flag that is set without the lock, between the waiter's look and its wait: the signal finds nobody.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void* signals(void* unused) {
  // RACE set look: spec-violated deadlock|hang: looked at first, the signal may come before the wait begins
  ready = 1;  // @set
  pthread_cond_signal(&condition);
  return unused;
}

static void* waits(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  int is_ready = ready;  // @look
  if (!is_ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(signals, waits);
  printf("woken\n");
}
