// volatile is not atomic.
// RUN: %check %s

#include "order.h"

volatile int stop;

static void stops(void) {
  stop = 1;  // RACE: observed stop
  end_turn();
}

static void looks(void) {
  await_turn(1);
  if (!stop) return;  // RACE: observed stop
}

int main(void) { run_two(stops, looks); }
