// A wait that the initial value lets through is ordered after no post.
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

sem_t slots;
int x;

static void take(int turn) {
  sem_wait(&slots);
  await_turn(turn);
  x++;  // RACE: observed x
  end_turn();
}

static void first(void) { take(0); }

static void second(void) { take(1); }

int main(void) {
  sem_init(&slots, 0, 2);
  run_two(first, second);
}
