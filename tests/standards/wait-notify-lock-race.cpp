// A mutex of one's own, by the waiting operations of C++20, whose unlock() stores with memory_order_relaxed. It keeps
// the threads apart in time and orders nothing: neither the relaxed store nor notify_one() synchronizes
// ([atomics.order], [atomics.wait]).
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
    state_.store(0, std::memory_order_relaxed);
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
    balance++;  // RACE: observed balance
  }
}

int main() {
  std::thread a(deposit);
  std::thread b(deposit);
  a.join();
  b.join();
  return balance < 2;
}
