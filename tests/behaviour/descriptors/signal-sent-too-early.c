// What is done after a signal was sent is not before its handler, nor before who waits for it.
// RUN: %check %s

#include <signal.h>
#include <unistd.h>

#include "order.h"

int x, y;
pthread_t interrupted;

static void on_signal(int number) {
  (void)number;
  await_turn(2);
  x++;  // RACE: observed x
}

static void* is_interrupted(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  end_turn();
  await_turn(2);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  int number;
  sigwait(&set, &number);
  await_turn(3);
  y++;  // RACE: observed y
  return unused;
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  signal(SIGUSR1, on_signal);
  pthread_create(&interrupted, NULL, is_interrupted, NULL);
  await_turn(1);
  pthread_kill(interrupted, SIGUSR1);
  x = 1;  // RACE: observed x
  end_turn();
  kill(getpid(), SIGUSR2);
  y = 1;  // RACE: observed y
  end_turn();
  pthread_join(interrupted, NULL);
}
