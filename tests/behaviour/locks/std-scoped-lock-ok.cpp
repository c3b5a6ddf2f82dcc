// Several mutexes at once, named in different orders.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex left, right;
int x;

static void one_way() {
  for (int i = 0; i < 100; i++) {
    std::scoped_lock lock(left, right);
    x++;
  }
}

static void other_way() {
  for (int i = 0; i < 100; i++) {
    std::scoped_lock lock(right, left);
    x++;
  }
}

int main() {
  run_two(one_way, other_way);
  return x != 200;
}
