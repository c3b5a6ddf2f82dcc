// Both write in the same phase. (Each is out of the first call before either goes on: who still wakes others in there
// reads what those who come to the next call write.)
// RUN: %check %s

#include <barrier>

#include "order.h"

std::barrier barrier(2);
int x;

static void first() {
  barrier.arrive_and_wait();
  await_turn(1);
  x = 1;  // RACE: observed x
  end_turn();
  barrier.arrive_and_wait();
}

static void second() {
  barrier.arrive_and_wait();
  end_turn();
  await_turn(2);
  x = 2;  // RACE: observed x
  barrier.arrive_and_wait();
}

int main() { run_two(first, second); }
