// A timer calls a function in a thread of its own (SIGEV_THREAD, POSIX.1-2017, XSH 2.4.1 and timer_create), which main
// finds out by a relaxed flag. Relaxed operations order nothing (C11 7.17.3), and no function of XBD 4.12 stands
// between the two: the write and the read race (C11 5.1.2.4p25).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

int last_tick;
atomic_int fired;

static void ticks(union sigval value) {
  last_tick = value.sival_int;  // RACE: observed last_tick
  atomic_store_explicit(&fired, 1, memory_order_relaxed);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 7};
  struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  timer_t timer;
  int seen;
  event.sigev_notify_function = ticks;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  timer_settime(timer, 0, &soon, NULL);
  while (!atomic_load_explicit(&fired, memory_order_relaxed)) sched_yield();
  seen = last_tick;  // RACE: observed last_tick
  timer_delete(timer);
  return seen != 7 && seen != 0;
}
