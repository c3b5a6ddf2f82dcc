// Readers count themselves in for the time that they read; the writer waits until the count was zero once, but it looks
// before it has taken the old value out: a reader that comes then reads what is freed.
// After the order that read-copy-update asks for: McKenney and Slingwine, "Read-Copy Update" (PDCS 1998).
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::array<std::atomic<bool>, 2> alive = {true, true};
std::atomic<int> current{0}, readers{0};

void look() {
  step(1);
  readers.fetch_add(1);
  const int version = current.load();
  step(2);
  step(4);
  assert(alive[version].load());
  readers.fetch_sub(1);
}

void replace() {
  while (readers.load() != 0) sched_yield();
  step(0);
  after_step(3);
  const int old = current.exchange(1);
  alive[old].store(false);
  step(3);
}

}  // namespace

int main() {
  std::thread writer(replace), reader(look);
  writer.join();
  reader.join();
}
