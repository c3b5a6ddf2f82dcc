// Nodes are pushed to a lock-free list by compare-and-exchange with release order; who walks it loads the head with
// acquire order. A later exchange continues the release sequence of an earlier one, so all nodes are seen
// ([intro.races], [atomics.order]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

struct Node {
  int value = 0;
  Node* next = nullptr;
};

std::atomic<Node*> head;
Node nodes[2];

static void pushes(Node* node, int value) {
  node->value = value;
  Node* next = head.load(std::memory_order_relaxed);
  do {
    node->next = next;
  } while (!head.compare_exchange_weak(next, node, std::memory_order_release, std::memory_order_relaxed));
}

static int sums_up() {
  Node* first;
  while ((first = head.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
  int sum = 0;
  for (Node* node = first; node != nullptr; node = node->next) {
    sum += node->value;
  }
  return sum;
}

int main() {
  int sum = 0;
  std::thread a(pushes, &nodes[0], 1);
  std::thread b(pushes, &nodes[1], 2);
  std::thread walker([&sum] { sum = sums_up(); });
  a.join();
  b.join();
  walker.join();
  return sum < 0 || sum > 3;
}
