// Two threads each take one lock, fail to get the other, give way and try again; if they move in step neither gets on.
// Each gives up after three tries.
// BUG: kind=livelock preemptions=5 threads=2 shows=status finding=none
// RUN: %show %s
#include <atomic>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

std::mutex left, right;
std::atomic<int> gave_up{0};

void cross(std::mutex& own, std::mutex& other, int self) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    own.lock();
    step(4 * attempt + self);
    after_step(4 * attempt + 2);
    bool got = other.try_lock();
    step(4 * attempt + 2 + self);
    after_step(4 * attempt + 4);
    if (got) other.unlock();
    own.unlock();
    if (got) return;
  }
  ++gave_up;
}

}  // namespace

int main() {
  std::thread one([] { cross(left, right, 0); });
  std::thread other([] { cross(right, left, 1); });
  one.join();
  other.join();
  return gave_up == 2 ? 3 : 0;
}
