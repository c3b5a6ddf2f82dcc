// The destructors of two threads' objects touch the same variable.
// RUN: %check %s

#include <thread>

#include "order.h"

int x;
struct Counts {
  ~Counts() {
    if (waits) await_turn(1);
    x += 1;  // RACE: observed x
    end_turn();
  }
  bool waits = false;
};
thread_local Counts counts;

int main() {
  run_two([] { counts.waits = false; }, [] { counts.waits = true; });
}
