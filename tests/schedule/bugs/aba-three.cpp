// ABA by two helpers: one takes A, the other takes B, then the first puts A back, all while a third is about to pop A.
// BUG: kind=aba preemptions=2 threads=3 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kNone = -1;
std::array<std::atomic<int>, 3> next = {1, 2, kNone};
std::array<std::atomic<bool>, 3> in_use;
std::atomic<int> top{0};

int pop(bool slow) {
  int head = top.load();
  while (head != kNone) {
    int below = next[head].load();
    if (slow) step(0), step(7);
    if (top.compare_exchange_strong(head, below)) return head;
  }
  return kNone;
}

void push(int node) {
  int head = top.load();
  do next[node].store(head);
  while (!top.compare_exchange_weak(head, node));
}

void takes_two() {
  pop(true);
  int second = pop(false);
  if (second != kNone) assert(!in_use[second].load());
}

void takes_and_returns() {
  step(1);
  int node = pop(false);
  step(2);
  step(5);
  if (node != kNone) push(node);
  step(6);
}

// Keeps a node other than the first for good.
void keeps_one() {
  step(3);
  int node = pop(false);
  if (node != kNone) in_use[node].store(true);
  step(4);
}

}  // namespace

int main() {
  std::thread one(takes_two), two(takes_and_returns), three(keeps_one);
  one.join();
  two.join();
  three.join();
}
