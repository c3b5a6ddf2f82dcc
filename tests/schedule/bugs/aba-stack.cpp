// A lock-free stack of numbered nodes without a version: while a thread is about to pop A, another pops A and B and
// puts A back; the first then makes B, which is in use, the top.
// BUG: kind=aba preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kNone = -1;
std::array<std::atomic<int>, 3> next = {1, 2, kNone};
std::array<std::atomic<int>, 3> users;
std::atomic<int> top{0};

int pop(bool slow) {
  int head = top.load();
  while (head != kNone) {
    int below = next[head].load();
    if (slow) step(0), step(3);
    if (top.compare_exchange_strong(head, below)) return head;
  }
  return kNone;
}

void push(int node) {
  int head = top.load();
  do next[node].store(head);
  while (!top.compare_exchange_weak(head, node));
}

void use(int node) {
  if (node != kNone) assert(users[node].fetch_add(1) == 0);
}

void pops_two() {
  use(pop(true));
  use(pop(false));
}

void pops_two_and_puts_one_back() {
  step(1);
  int first = pop(false);
  use(pop(false));
  if (first != kNone) push(first);
  step(2);
}

}  // namespace

int main() {
  std::thread one(pops_two), other(pops_two_and_puts_one_back);
  one.join();
  other.join();
}
