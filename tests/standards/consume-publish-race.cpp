// A node is published by a relaxed store. A consume load takes its value from no release operation then, so that
// nothing is dependency-ordered before what is read through the pointer ([intro.races], [atomics.order]).
// RUN: %check %s

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
  node.weight = 4;  // RACE: observed node.weight
  published.store(&node, std::memory_order_relaxed);
}

int main() {
  std::thread publisher(publish);
  Node* seen;
  while ((seen = published.load(std::memory_order_consume)) == nullptr) std::this_thread::yield();
  int weight = seen->weight;  // RACE: observed node.weight
  publisher.join();
  return weight != 4 && weight != 0;
}
