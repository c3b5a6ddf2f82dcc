// Both threads leave by pthread_exit; neither is ordered by the other's end.
// RUN: %check %s

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  pthread_exit(NULL);
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  pthread_exit(NULL);
}

int main(void) { run_two(first, second); }
