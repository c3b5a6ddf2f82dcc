// A counting semaphore with two slots lets both in.
// RUN: %check %s

#include <semaphore>

#include "order.h"

std::counting_semaphore<2> slots(2);
int x;

static void first() {
  slots.acquire();
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  slots.release();
}

static void second() {
  await_turn(1);
  slots.acquire();
  x = 2;  // RACE: observed x
  end_turn();
  slots.release();
}

int main() { run_two(first, second); }
