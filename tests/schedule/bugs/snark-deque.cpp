// A deque with double compare-and-swap: its two hats cross when both ends pop at once, and the right end takes again
// what the left end has taken.
// After the Snark deque (Detlefs and others, DISC 2000), refuted by Doherty and others, "DCAS is not a Silver Bullet
// for Nonblocking Algorithm Design" (SPAA 2004). Reduced to the pops, without the test of links to oneself; the double
// compare-and-swap is one step under a lock.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

constexpr int kDummy = 2;
std::array<std::atomic<int>, 3> right_of = {1, kDummy, kDummy}, left_of = {kDummy, 0, kDummy};
std::array<std::atomic<int>, 2> taken;
std::atomic<int> left_hat{0}, right_hat{1};
std::mutex both;

bool swap_both(std::atomic<int>& a, int old_a, int new_a, std::atomic<int>& b, int old_b, int new_b) {
  const std::lock_guard<std::mutex> guard(both);
  if (a.load() != old_a || b.load() != old_b) return false;
  a.store(new_a);
  b.store(new_b);
  return true;
}

int pop_right(bool slow) {
  for (;;) {
    const int right = right_hat.load(), left = left_hat.load();
    if (right == kDummy) return kDummy;
    if (right == left) {
      if (swap_both(right_hat, right, kDummy, left_hat, left, kDummy)) return right;
    } else {
      const int before = left_of[right].load();
      if (slow) step(0), step(3);
      // What the left hat is by now is not asked.
      if (swap_both(right_hat, right, before, left_of[right], before, right)) return right;
    }
  }
}

int pop_left() {
  for (;;) {
    const int left = left_hat.load(), right = right_hat.load();
    if (left == kDummy) return kDummy;
    if (right == left) {
      if (swap_both(left_hat, left, kDummy, right_hat, right, kDummy)) return left;
    } else {
      const int behind = right_of[left].load();
      if (swap_both(left_hat, left, behind, right_of[left], behind, left)) return left;
    }
  }
}

void take(int node) {
  if (node != kDummy) assert(taken[node].fetch_add(1) == 0);
}

}  // namespace

int main() {
  std::thread one([] {
    take(pop_right(true));
    take(pop_right(false));
  });
  std::thread other([] {
    step(1);
    take(pop_left());
    step(2);
  });
  one.join();
  other.join();
}
