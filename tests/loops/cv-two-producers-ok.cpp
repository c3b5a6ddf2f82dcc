// Condition variable: a queue class, two producers, one consumer; the objects are the consumer's once taken.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "arrival.h"

template <typename T>
class Queue {
 public:
  void put(T item) {
    std::lock_guard guard(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }
  T take() {
    std::unique_lock lock(mutex_);
    while (items_.empty()) changed_.wait(lock);
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
};

Queue<std::unique_ptr<int>> queue;
int sum;

static void produces() {
  for (int i = 0; i < 4; ++i) queue.put(std::make_unique<int>(i));
}

static void consumes() {
  for (int i = 0; i < 8; ++i) sum += *queue.take();
}

int main() {
  meet_two(consumes, produces, produces);
  return sum - 12;
}
