// What is changed after the once is not protected by it.
// RUN: %check %s

#include "order.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
int seen;

static void initialise(void) { x = 7; }

static void changes(void) {
  pthread_once(&once, initialise);
  x = 8;  // RACE: observed x
  end_turn();
}

static void reads(void) {
  await_turn(1);
  pthread_once(&once, initialise);
  seen = x;  // RACE: observed x
}

int main(void) { run_two(changes, reads); }
