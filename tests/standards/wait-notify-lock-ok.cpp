// A mutex of one's own, by the waiting operations of C++20: lock() exchanges with acquire, unlock() stores with release
// and notifies ([atomics.order], [atomics.wait]). All who held it are ordered.
// NORACE
// RUN: %check %s

#include <atomic>
#include <mutex>
#include <thread>

class Lock {
 public:
  void lock() {
    while (state_.exchange(1, std::memory_order_acquire) == 1) state_.wait(1, std::memory_order_relaxed);
  }
  void unlock() {
    state_.store(0, std::memory_order_release);
    state_.notify_one();
  }

 private:
  std::atomic<int> state_ = 0;
};

Lock lock;
int balance;

static void deposit() {
  for (int i = 0; i < 100; i++) {
    std::lock_guard guard(lock);
    balance++;
  }
}

int main() {
  std::thread a(deposit);
  std::thread b(deposit);
  a.join();
  b.join();
  return balance != 200;
}
