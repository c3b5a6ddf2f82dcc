// What is done after a timer was set is not before the function that it calls.
// RUN: %check %s

#include <signal.h>
#include <time.h>

#include "order.h"

int x;

static void on_time(union sigval value) {
  (void)value;
  await_turn(1);
  x++;  // RACE: observed x
  end_turn();
}

int main(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
  const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &soon, NULL);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
}
