// A bounded queue; a monitor asks for its size, which is read under the mutex as it is changed. Operations on one mutex
// are in a total order, and each unlock synchronizes with the next lock ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

class Queue {
 public:
  void push(int item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return count_ < kCapacity; });
    items_[(first_ + count_) % kCapacity] = item;
    count_++;
    not_empty_.notify_one();
  }

  int pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return count_ > 0; });
    int item = items_[first_];
    first_ = (first_ + 1) % kCapacity;
    count_--;
    not_full_.notify_one();
    return item;
  }

  std::size_t size() {
    std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  static constexpr std::size_t kCapacity = 4;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::array<int, kCapacity> items_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

Queue queue;

int main() {
  constexpr int kItems = 20;
  long sum = 0;
  std::size_t seen = 0;
  std::thread producer([] {
    for (int i = 1; i <= kItems; i++) queue.push(i);
  });
  std::thread consumer([&sum] {
    for (int i = 1; i <= kItems; i++) sum += queue.pop();
  });
  std::thread monitor([&seen] { seen = queue.size(); });
  producer.join();
  consumer.join();
  monitor.join();
  return sum != kItems * (kItems + 1) / 2 || seen > 4;
}
