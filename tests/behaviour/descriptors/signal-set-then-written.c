// What is done after a handler was set is not before what the handler does in another thread.
// RUN: %check %s

#include <signal.h>

#include "order.h"

int x;

static void on_signal(int number) {
  (void)number;
  x++;  // RACE: observed x
}

static void sets(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  x = 1;  // RACE: observed x
  end_turn();
}

static void is_interrupted(void) {
  await_turn(1);
  raise(SIGUSR1);
}

int main(void) { run_two(sets, is_interrupted); }
