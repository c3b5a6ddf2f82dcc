// A lock-free stack whose pop frees its node at once: another pop that has read the top reads the freed node's link.
// After the case that hazard pointers are for: Michael, "Hazard Pointers" (IEEE TPDS 2004), section 1.
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

struct Node {
  std::atomic<bool> alive{true};
  std::atomic<Node*> below{nullptr};
};
Node nodes[2];  // "freed" is a flag, so that what is wrong is an assertion, not luck
std::atomic<Node*> top{&nodes[0]};

void pop(bool slow) {
  Node* first = top.load();
  do {
    if (first == nullptr) return;
    if (slow) step(0), step(3);
    assert(first->alive.load());
  } while (!top.compare_exchange_strong(first, first->below.load()));
  first->alive.store(false);
}

}  // namespace

int main() {
  nodes[0].below = &nodes[1];
  std::thread one([] { pop(true); });
  std::thread other([] {
    step(1);
    pop(false);
    step(2);
  });
  one.join();
  other.join();
}
