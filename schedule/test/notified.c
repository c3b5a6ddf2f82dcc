// Who waits for a thread that the C library makes for a notification is in no deadlock, though nobody can go on.
// RUN: %norn-cc -O1 %s -o %t
// RUN: %norn confirm --explore --strategy=random --runs=4 --jobs=1 --timeout=60 -- %t | FileCheck %s
// CHECK: nothing seen in 4 runs

#include <pthread.h>
#include <signal.h>
#include <time.h>

static int fired;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void fires(union sigval value) {
  pthread_mutex_lock(&mutex);
  fired = value.sival_int;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 1};
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  timer_t timer;
  event.sigev_notify_function = fires;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  timer_settime(timer, 0, &soon, NULL);
  pthread_mutex_lock(&mutex);
  while (!fired) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  timer_delete(timer);
  return 0;
}
