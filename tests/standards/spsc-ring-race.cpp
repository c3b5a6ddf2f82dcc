// A ring for one producer and one consumer: the head is published with relaxed order. The consumer's acquire load reads
// no value of a release operation, and nothing synchronizes ([atomics.order]): every item is read with nothing that
// orders it after its write ([intro.races]). The way back, by the tail, is right.
// RUN: %check %s

#include <atomic>
#include <cstddef>
#include <thread>

template <typename Item, std::size_t kSize>
class Ring {
 public:
  bool push(Item item) {
    std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == kSize) return false;
    items_[head % kSize] = item;  // RACE: observed ring
    head_.store(head + 1, std::memory_order_relaxed);
    return true;
  }

  bool pop(Item& item) {
    std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (head_.load(std::memory_order_acquire) == tail) return false;
    item = items_[tail % kSize];  // RACE: observed ring
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

 private:
  Item items_[kSize] = {};
  alignas(64) std::atomic<std::size_t> head_ = 0;
  alignas(64) std::atomic<std::size_t> tail_ = 0;
};

Ring<int, 4> ring;

int main() {
  constexpr int kItems = 20;
  long sum = 0;
  std::thread producer([] {
    for (int i = 1; i <= kItems; i++) {
      while (!ring.push(i)) std::this_thread::yield();
    }
  });
  std::thread consumer([&sum] {
    for (int i = 1; i <= kItems; i++) {
      int item = 0;
      while (!ring.pop(item)) std::this_thread::yield();
      sum += item;
    }
  });
  producer.join();
  consumer.join();
  return sum <= 0;
}
