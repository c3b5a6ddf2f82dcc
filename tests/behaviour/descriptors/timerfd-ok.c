// A timer rings after it was set.
// NORACE
// RUN: %check %s

#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "order.h"

int timer;
int x;

static void sets(void) {
  x = 1;
  struct itimerspec soon = {.it_value.tv_nsec = 1000000};
  timerfd_settime(timer, 0, &soon, NULL);
}

static void waits(void) {
  uint64_t times;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  x = 2;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  run_two(sets, waits);
}
