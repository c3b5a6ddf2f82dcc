// A stack of one's own: pushed by compare-exchange with release, taken whole with acquire.
// NORACE
// RUN: %check %s

#include <atomic>

#include "order.h"

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top;
int sum;

static void pushes() {
  for (int i = 0; i < 50; i++) {
    auto* node = new Node{i, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  end_turn();
}

static void takes() {
  for (bool last = false; !last;) {
    last = sum > 0;
    if (last) await_turn(1);
    for (Node* node = top.exchange(nullptr, std::memory_order_acquire); node;) {
      sum += node->value + 1;
      Node* next = node->next;
      delete node;
      node = next;
    }
  }
}

int main() {
  run_two(pushes, takes);
  return sum != 50 * 49 / 2 + 50;
}
