// A stack of three numbered items that guards against ABA by taking an item's link out while it is popped, and counts
// what is left. It is wrong all the same: a link that was taken from an item of an earlier life is put on the top.
// After Dmitry Vyukov's "SafeStack", posted as a challenge for the CHESS model checker (2010).
// The schedule below is the one with the fewest preemptions that a search of all states of a model found.
// BUG: kind=aba preemptions=8 threads=3 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

constexpr int kItems = 3, kRounds = 2, kNone = -1;
std::array<std::atomic<int>, kItems> below = {1, 2, kNone};
std::array<std::atomic<int>, kItems> users;
std::atomic<int> top{0}, left{kItems};

thread_local int self;
void now() { follow("CCAAAAAAAAABBBBBBBBBCAAAAACCCCAAAACCCCCBBBBBBBBBBA", self); }

int pop() {
  while (now(), left.load() > 1) {
    now();
    int first = top.load();
    now();
    const int second = below[first].exchange(kNone);
    if (second == kNone) continue;
    now();
    int expected = first;
    if (top.compare_exchange_strong(expected, second)) {
      now();
      left.fetch_sub(1);
      return first;
    }
    now();
    below[first].store(second);
  }
  return kNone;
}

void push(int item) {
  now();
  int first = top.load();
  do {
    now();
    below[item].store(first);
    now();
  } while (!top.compare_exchange_strong(first, item));
  now();
  left.fetch_add(1);
}

void use(int number) {
  self = number;
  for (int round = 0; round < kRounds; ++round) {
    int item = kNone;
    while (item == kNone) item = pop();
    now();
    assert(users[item].fetch_add(1) == 0);
    now();
    users[item].fetch_sub(1);
    push(item);
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(use, i);
  for (std::thread& thread : threads) thread.join();
}
