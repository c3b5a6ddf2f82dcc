// Two threads double the same hash map: each turns its chains over, and the one that comes late turns over what the
// other one has turned already. A chain bites its tail, and whoever walks it does so for ever.
// After Java's HashMap used without a lock (JDK-6423457, "Infinite loop in HashMap.get").
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=hang finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

enum Entry { kA, kB, kEnd };
std::array<std::atomic<int>, 2> next = {kB, kEnd};
std::atomic<int> bucket{kA};

void move(bool slow) {
  int moved = kEnd;
  for (int entry = bucket.load(); entry != kEnd;) {
    const int behind = next[entry].load();
    if (slow && entry == kA) step(0), step(3);
    next[entry].store(moved);
    moved = entry;
    entry = behind;
  }
  bucket.store(moved);
}

}  // namespace

int main() {
  std::thread one([] { move(true); });
  std::thread other([] {
    step(1);
    move(false);
    step(2);
  });
  one.join();
  other.join();
  for (int entry = bucket; entry != kEnd;) entry = next[entry];
}
