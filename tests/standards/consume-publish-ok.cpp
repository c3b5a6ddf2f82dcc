// A node is published by a release store and read through a pointer that a consume load gave: the store is
// dependency-ordered before what is read through that value ([intro.races], [atomics.order]).
// RUN: %check %s
// NORACE

#include <atomic>
#include <thread>

struct Node {
  int value;
  int weight;
};

Node node;
std::atomic<Node*> published{nullptr};

static void publish() {
  node.value = 3;
  node.weight = 4;
  published.store(&node, std::memory_order_release);
}

int main() {
  std::thread publisher(publish);
  Node* seen;
  while ((seen = published.load(std::memory_order_consume)) == nullptr) std::this_thread::yield();
  int weight = seen->weight;
  publisher.join();
  return weight != 4 && weight != 0;
}
