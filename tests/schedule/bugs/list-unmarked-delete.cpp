// A sorted linked list with compare-and-swap alone: a node is unlinked while another is put behind it, and both are
// gone.
// After Harris, "A Pragmatic Implementation of Non-Blocking Linked-Lists" (DISC 2001), figure 2, which marks a node
// before it is unlinked.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=status finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

enum Node { kHead, kTen, kTwenty, kThirty, kEnd };
std::array<std::atomic<int>, 4> next = {kTen, kThirty, kEnd, kEnd};

// 20 comes behind 10.
void insert() {
  int before = kHead, behind = next[kHead].load();
  while (behind == kTen) before = behind, behind = next[behind].load();
  step(0);
  step(3);
  next[kTwenty].store(behind);
  if (!next[before].compare_exchange_strong(behind, kTwenty)) next[kHead].store(kTwenty);
}

void take_out() {
  step(1);
  int ten = kTen;
  const int behind = next[kTen].load();
  next[kHead].compare_exchange_strong(ten, behind);
  step(2);
}

}  // namespace

int main() {
  std::thread one(insert), other(take_out);
  one.join();
  other.join();
  for (int node = next[kHead]; node != kEnd; node = next[node])
    if (node == kTwenty) return 0;
  return 3;
}
