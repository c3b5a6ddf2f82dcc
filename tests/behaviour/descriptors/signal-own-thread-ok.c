// A handler that interrupts its own thread does not race with it.
// NORACE
// RUN: %check %s

#include <signal.h>
#include <sys/time.h>

#include "order.h"

volatile int x;

static void on_alarm(int number) {
  (void)number;
  x++;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (x < 20) {
  }
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  raise(SIGALRM);
  x = 0;
}
