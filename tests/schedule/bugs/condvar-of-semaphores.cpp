// A condition variable made of a semaphore: a signal for those who wait is taken by one who begins to wait later and
// whose condition comes true by another signal alone.
// After Birrell, "Implementing Condition Variables with Semaphores" (2003), section "First attempts", and glibc bug
// 13165.
// BUG: kind=lost-wakeup preemptions=2 threads=3 shows=hang finding=none
// RUN: %show %s
#include <mutex>
#include <semaphore>
#include <thread>

#include "bug.h"

namespace {

std::mutex mutex;
std::counting_semaphore<8> sleepers(0);
int waiting;
bool first_ready, second_ready;

// The mutex is held.
void wait(int self) {
  ++waiting;
  mutex.unlock();
  if (self == 0) step(0), step(4);
  if (self == 1) step(2);
  sleepers.acquire();
  if (self == 1) step(3);
  mutex.lock();
}

void signal() {
  if (waiting == 0) return;
  --waiting;
  sleepers.release();
}

void wait_for(bool& ready, int self) {
  mutex.lock();
  while (!ready) wait(self);
  mutex.unlock();
}

}  // namespace

int main() {
  std::thread one([] { wait_for(first_ready, 0); });
  std::thread two([] {
    after_step(2);
    wait_for(second_ready, 1);
  });
  std::thread setter([] {
    step(1);
    mutex.lock();
    first_ready = true;
    signal();
    mutex.unlock();
    after_step(5);
    mutex.lock();
    second_ready = true;
    if (waiting != 0) signal();
    mutex.unlock();
  });
  one.join();
  two.join();
  setter.join();
}
