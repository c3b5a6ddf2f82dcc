// A timer calls a function in a thread of its own (SIGEV_THREAD, POSIX.1-2017, XSH 2.4.1 and timer_create), which sets
// what main waits for under a mutex. The functions of mutex and condition variable synchronize memory (XBD 4.12).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

int last_tick;
int fired;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void ticks(union sigval value) {
  pthread_mutex_lock(&mutex);
  last_tick = value.sival_int;
  fired = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 7};
  struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  timer_t timer;
  int seen;
  event.sigev_notify_function = ticks;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  timer_settime(timer, 0, &soon, NULL);
  pthread_mutex_lock(&mutex);
  while (!fired) pthread_cond_wait(&changed, &mutex);
  seen = last_tick;
  pthread_mutex_unlock(&mutex);
  timer_delete(timer);
  return seen != 7 && seen != 0;
}
