// A reader-writer lock of two atomics: a reader looks for the writer before it counts itself in.
// BUG: kind=broken-lock preemptions=1 threads=4 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

std::atomic<bool> writing{false};
std::atomic<int> readers{0};
int shared[2];

void look() {
  while (writing.load()) std::this_thread::yield();
  step(0);
  step(2);
  readers.fetch_add(1);
  assert(shared[0] == shared[1]);
  readers.fetch_sub(1);
}

void change() {
  while (writing.exchange(true)) std::this_thread::yield();
  while (readers.load() != 0) std::this_thread::yield();
  ++shared[0];
  step(1);
  after_step(4);
  ++shared[1];
  writing.store(false);
}

}  // namespace

int main() {
  std::thread threads[] = {std::thread(look), std::thread(change), std::thread(look), std::thread(change)};
  for (std::thread& thread : threads) thread.join();
}
