// A weak pointer is given up by one thread, and then the last shared one by another, which frees the counts of both.
// NORACE
// RUN: %check %s

#include <memory>

#include "order.h"

std::shared_ptr<int> last;
std::weak_ptr<int> weak;

static void gives_up_weak() {
  weak.reset();
  end_turn();
}

static void gives_up_last() {
  await_turn(1);
  last.reset();
}

int main() {
  last = std::make_shared<int>(1);
  weak = last;
  run_two(gives_up_weak, gives_up_last);
}
