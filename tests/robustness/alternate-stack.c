// A handler on an alternate stack of few pages, which races from there.
// RUN: %check %s

#include <signal.h>
#include <stdlib.h>

#include "order.h"

int x;

static void on_signal(int number) {
  (void)number;
  x = 1;  // RACE: observed x
}

static void on_its_own_stack(void) {
  stack_t stack = {.ss_sp = malloc(4 * MINSIGSTKSZ), .ss_size = 4 * MINSIGSTKSZ};
  sigaltstack(&stack, NULL);
  raise(SIGUSR1);
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  free(stack.ss_sp);
  end_turn();
}

static void other(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  run_two(on_its_own_stack, other);
}
