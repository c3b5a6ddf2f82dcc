// That a timer rang says nothing of what others did meanwhile.
// RUN: %check %s

#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "order.h"

int timer, another;
int x;

static void writes(void) {
  x = 1;  // RACE: observed x
  close(another);
  end_turn();
}

static void waits(void) {
  uint64_t times;
  await_turn(1);
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  x = 2;  // RACE: observed x
}

int main(void) {
  another = timerfd_create(CLOCK_MONOTONIC, 0);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec soon = {.it_value.tv_nsec = 1000000};
  timerfd_settime(timer, 0, &soon, NULL);
  run_two(writes, waits);
}
