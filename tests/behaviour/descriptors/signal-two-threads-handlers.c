// The same handler runs in two threads.
// RUN: %check %s

#include <signal.h>

#include "order.h"

int x;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  x++;  // RACE: observed x
}

static void first(void) {
  raise(SIGUSR1);
  end_turn();
}

static void second(void) {
  await_turn(1);
  raise(SIGUSR1);
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  run_two(first, second);
}
