// A mutex of three states: free, taken, taken with somebody waiting. Who was woken takes it as "taken", though others
// wait still; its release wakes nobody.
// After Drepper, "Futexes Are Tricky" (2004), section "Mutex, Take 2", where the woken thread must say that there may
// be more.
// BUG: kind=lost-wakeup preemptions=3 threads=3 shows=hang finding=none
// RUN: %show %s
#include <unistd.h>

#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::atomic<int> state{0};  // 0: free; 1: taken; 2: taken, and somebody waits

void lock(int self) {
  int seen = 0;
  if (state.compare_exchange_strong(seen, 1)) return;
  for (;;) {
    if (seen == 2 || state.compare_exchange_strong(seen, 2)) {
      if (self == 1) step(1);
      if (self == 2) step(2);
      state.wait(2);
    }
    seen = 0;
    if (state.compare_exchange_strong(seen, 1)) return;
  }
}

void unlock() {
  if (state.exchange(0) == 2) state.notify_one();
}

void use(int self) {
  if (self != 0) after_step(1);
  if (self == 2) after_step(2);
  lock(self);
  if (self == 0) step(0), step(3);
#ifdef SHOW
  if (self == 0) usleep(500'000);  // until both sleep; nothing says when
#endif
  unlock();
}

}  // namespace

int main() {
  std::thread one(use, 0), two(use, 1), three(use, 2);
  one.join();
  two.join();
  three.join();
}
