// What was done before a handler was set comes before what the handler does, in whichever thread that runs.
// NORACE
// UNORDERED: crash: the second signal may come before it has a handler
// RUN: %check %s

#include <signal.h>

#include "order.h"

int x, y;

static void on_signal(int number) { *(number == SIGUSR1 ? &x : &y) += 1; }

static void sets(void) {
  struct sigaction action = {.sa_handler = on_signal};
  x = 1;
  sigaction(SIGUSR1, &action, NULL);
  y = 1;
  signal(SIGUSR2, on_signal);
  end_turn();
}

static void is_interrupted(void) {
  await_turn(1);
  raise(SIGUSR1);
  raise(SIGUSR2);
}

int main(void) { run_two(sets, is_interrupted); }
