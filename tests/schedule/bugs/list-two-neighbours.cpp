// Two neighbours of a linked list are unlinked at once: the first one's predecessor still leads to the second.
// After Harris (DISC 2001), and Valois, "Lock-Free Linked Lists Using Compare-and-Swap" (PODC 1995), figure 2.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=status finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

enum Node { kHead, kB, kC, kEnd };
std::array<std::atomic<int>, 3> next = {kB, kC, kEnd};

bool unlink(int before, int node, bool slow) {
  const int behind = next[node].load();
  if (slow) step(0), step(3);
  return next[before].compare_exchange_strong(node, behind);
}

}  // namespace

int main() {
  std::atomic<bool> removed{false};
  std::thread one([] { unlink(kHead, kB, true); });
  std::thread other([&] {
    step(1);
    if (next[kHead].load() == kB) removed = unlink(kB, kC, false);
    step(2);
  });
  one.join();
  other.join();
  for (int node = next[kHead]; node != kEnd; node = next[node])
    if (node == kC && removed) return 3;
  return 0;
}
