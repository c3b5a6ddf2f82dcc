// The member of an object, each time reached through this.
// RUN: %check %s

#include "order.h"

class Counter {
 public:
  __attribute__((noinline)) void add() {
    total_++;  // RACE: observed total_
  }

 private:
  int spare_ = 0;
  int total_ = 0;
};
Counter counter;

static void first() {
  counter.add();
  end_turn();
}

static void second() {
  await_turn(1);
  counter.add();
}

int main() { run_two(first, second); }
