// Two readers of a home-made reader-writer lock each wait for the other to leave before they become the writer.
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=none
// FOUND-BY: pct
// RUN: %show %s
// RUN: %found %s
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

class Lock {
 public:
  void read() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++readers_;
  }
  void upgrade() {
    std::unique_lock<std::mutex> guard(mutex_);
    changed_.wait(guard, [this] { return readers_ == 1; });
  }
  void leave() {
    std::lock_guard<std::mutex> guard(mutex_);
    --readers_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
};

Lock lock;

void change(int self) {
  lock.read();
  step(self);
  after_step(2);
  lock.upgrade();
  lock.leave();
}

}  // namespace

int main() {
  std::thread one(change, 0), other(change, 1);
  one.join();
  other.join();
}
