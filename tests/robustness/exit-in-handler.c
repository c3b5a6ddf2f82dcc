// A signal handler ends the program wherever it is: in the middle of its accesses, or of what norn does for them.
// STDOUT: ending
// EXIT: 7
// RUN: %check %s

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "order.h"

int x;
volatile int words[1 << 16];

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  for (unsigned i = 0;; i++) words[i * 7919 % (1 << 15)]++;
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  for (unsigned i = 0;; i++) words[(1 << 15) + i * 7919 % (1 << 15)]++;
}

static void at_signal(int number) {
  (void)number;
  _exit(7);
}

int main(void) {
  puts("ending");
  fflush(stdout);
  signal(SIGALRM, at_signal);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, norn_test_call, (void*)first);
  pthread_create(&threads[1], NULL, norn_test_call, (void*)second);
  await_turn(1);
  struct itimerval soon = {{0, 0}, {0, 200000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;) pause();
}
