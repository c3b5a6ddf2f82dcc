// Each thread's handler touches its own thread's variable, and one touches another's.
// RUN: %check %s

#include <signal.h>

#include "order.h"

_Thread_local int own;
int shared;

static void on_signal(int number) {
  own++;
  if (number == SIGUSR2) shared = 1;  // RACE: observed shared
}

static void first(void) {
  for (int i = 0; i < 100; i++) {
    own++;
    raise(SIGUSR1);
  }
  raise(SIGUSR2);
  end_turn();
}

static void second(void) {
  for (int i = 0; i < 100; i++) {
    own++;
    raise(SIGUSR1);
  }
  await_turn(1);
  shared = 2;  // RACE: observed shared
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  run_two(first, second);
}
