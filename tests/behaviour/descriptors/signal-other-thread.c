// A handler races with another thread as any function does.
// RUN: %check %s

#include <signal.h>

#include "order.h"

int x;

static void on_signal(int number) {
  (void)number;
  x = 1;  // RACE: observed x
}

static void is_interrupted(void) {
  raise(SIGUSR1);
  end_turn();
}

static void other(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  run_two(is_interrupted, other);
}
