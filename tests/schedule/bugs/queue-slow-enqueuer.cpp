// A linked queue whose enqueuer moves the tail first and links its node afterwards: a dequeuer in between finds the
// queue empty behind another enqueuer whose element is complete, and gives up.
// After the flaws of published non-blocking queues that Michael and Scott, "Simple, Fast, and Practical Non-Blocking
// and Blocking Concurrent Queue Algorithms" (PODC 1996), section 1, describe.
// BUG: kind=order preemptions=1 threads=3 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kNone = -1;
std::array<std::atomic<int>, 3> next = {kNone, kNone, kNone};
std::atomic<int> head{0}, tail{0};
std::atomic<bool> put{false};

void enqueue(int node, bool slow) {
  const int before = tail.exchange(node);
  if (slow) step(0), step(4);
  next[before].store(node);
}

int dequeue() {
  const int first = next[head.load()].load();
  if (first != kNone) head.store(first);
  return first;
}

}  // namespace

int main() {
  std::thread slow([] { enqueue(1, true); });
  std::thread fast([] {
    step(1);
    enqueue(2, false);
    put.store(true);
    step(2);
  });
  std::thread taker([] {
    after_step(3);
    if (put.load()) assert(dequeue() != kNone);
    step(3);
  });
  slow.join();
  fast.join();
  taker.join();
}
