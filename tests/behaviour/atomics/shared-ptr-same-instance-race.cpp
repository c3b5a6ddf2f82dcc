// Two threads use one shared_ptr itself, not copies of it.
// RUN: %check %s

#include <memory>

#include "order.h"

auto pointer = std::make_shared<int>(1);
std::shared_ptr<int> copy;

static void copies() {
  copy = pointer;  // RACE: observed <pointer>
  end_turn();
}

static void resets() {
  await_turn(1);
  pointer.reset();  // RACE: observed <pointer>
}

int main() { run_two(copies, resets); }
