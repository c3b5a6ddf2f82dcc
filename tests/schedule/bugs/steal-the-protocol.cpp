// Owner and thief of a deque agree by looking at each other's index, as in Cilk's THE protocol; but the owner looks
// before it moves its own index, and both take the last job.
// After Frigo, Leiserson, Randall, "The Implementation of the Cilk-5 Multithreaded Language" (PLDI 1998), section 5,
// where the order of the two is what makes it right.
// BUG: kind=toctou preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

std::mutex thieves;
std::atomic<int> head{0}, tail{1};
std::atomic<int> done{0};

void pop() {
  const int last = tail.load() - 1;
  const bool any = head.load() <= last;
  step(0);
  step(3);
  if (!any) return;
  tail.store(last);
  assert(done.fetch_add(1) == 0);
}

void steal() {
  step(1);
  {
    const std::lock_guard<std::mutex> guard(thieves);
    const int first = head.load();
    head.store(first + 1);
    if (first + 1 > tail.load()) {
      head.store(first);
    } else {
      assert(done.fetch_add(1) == 0);
    }
  }
  step(2);
}

}  // namespace

int main() {
  std::thread owner(pop), thief(steal);
  owner.join();
  thief.join();
}
