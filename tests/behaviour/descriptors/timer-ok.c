// What was done before a timer was set comes before the function it calls in a thread of the library's, and before its
// signal.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "order.h"

int x, calls;
volatile int y;
sem_t called;
const struct itimerspec soon = {.it_value.tv_nsec = 1000000};

static void on_time(union sigval value) {
  char large[2000];
  for (int i = 0; i < 2000; i++) large[i] = (char)i;
  *(int*)value.sival_ptr += large[1];
  calls++;
  sem_post(&called);
}

static void on_signal(int number) {
  (void)number;
  y++;
}

int main(void) {
  sem_init(&called, 0, 0);
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 3; i++) {
    timer_t timer;
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time, .sigev_value.sival_ptr = &x};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    x = 1;
    timer_settime(timer, 0, &soon, NULL);
    sem_wait(&called);
    timer_delete(timer);
  }
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  y = 1;
  timer_settime(timer, 0, &soon, NULL);
  while (y < 2) nanosleep(&soon.it_value, NULL);
  return x != 2 || calls != 3;
}
