// std::barrier in phases, with a completion step that owns everything.
// NORACE
// RUN: %check %s

#include <barrier>

#include "order.h"

int x;
struct Completion {
  void operator()() noexcept { x++; }
};
std::barrier<Completion> barrier(2);

static void even() {
  for (int phase = 0; phase < 10; phase++) {
    if (phase % 2 == 0) x++;
    barrier.arrive_and_wait();
  }
}

static void odd() {
  for (int phase = 0; phase < 10; phase++) {
    if (phase % 2 == 1) x++;
    barrier.arrive_and_wait();
  }
}

int main() {
  run_two(even, odd);
  return x != 20;
}
