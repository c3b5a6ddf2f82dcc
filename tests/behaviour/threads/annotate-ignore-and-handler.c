// What a thread ignores does not make a handler be ignored that interrupts it.
// RUN: %check %s

#include <signal.h>

#include "annotations.h"
#include "order.h"

int x, y;

static void on_signal(int number) {
  (void)number;
  x = 1;  // RACE: observed x
}

static void ignores(void) {
  ANNOTATE(IgnoreReadsBegin);
  ANNOTATE(IgnoreWritesBegin);
  raise(SIGUSR1);
  y = 1;  // ignored, as before the handler
  ANNOTATE(IgnoreWritesEnd);
  ANNOTATE(IgnoreReadsEnd);
  end_turn();
}

static void other(void) {
  await_turn(1);
  y = 2;
  x = 2;  // RACE: observed x
}

int main(void) {
  signal(SIGUSR1, on_signal);
  run_two(ignores, other);
}
