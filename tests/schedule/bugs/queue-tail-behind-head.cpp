// A queue of two ends, each with its lock, and a dummy node: the enqueuer publishes the node before it moves the tail,
// and the dequeuer frees the dummy that the tail still names.
// After the invariant "the tail never lags behind the head" of Michael and Scott (PODC 1996), whose non-blocking queue
// has the dequeuer help for that reason.
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kNone = -1;
std::array<std::atomic<int>, 3> next = {kNone, kNone, kNone};
std::array<std::atomic<bool>, 3> freed;
std::atomic<int> head{0}, tail{0};

void enqueue(int node, bool slow) {
  for (;;) {
    const int last = tail.load();
    assert(!freed[last].load());
    int nothing = kNone;
    if (!next[last].compare_exchange_strong(nothing, node)) continue;
    if (slow) step(0), step(3);
    tail.store(node);
    return;
  }
}

void dequeue() {
  step(1);
  const int dummy = head.load();
  const int first = next[dummy].load();
  if (first != kNone) {
    head.store(first);
    freed[dummy].store(true);
    if (tail.load() == dummy) enqueue(2, false);
  }
  step(2);
}

}  // namespace

int main() {
  std::thread one([] { enqueue(1, true); });
  std::thread other(dequeue);
  one.join();
  other.join();
}
