// Both write in the same phase.
// RUN: %check %s

#include <barrier>

#include "order.h"

std::barrier barrier(2);
int x;

static void first() {
  barrier.arrive_and_wait();
  x = 1;  // RACE: observed x
  end_turn();
  barrier.arrive_and_wait();
}

static void second() {
  barrier.arrive_and_wait();
  await_turn(1);
  x = 2;  // RACE: observed x
  barrier.arrive_and_wait();
}

int main() { run_two(first, second); }
