// Producers and consumers around a bounded queue with two condition variables: buffers change hands, so each is
// touched by two threads in turn.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "kernel.h"

namespace {

constexpr int kWords = 512;

struct Parcel {
  uint64_t number = 0;
  std::array<uint32_t, kWords> words{};
};

class BoundedQueue {
 public:
  void push(std::unique_ptr<Parcel> parcel) {
    std::unique_lock guard(mutex_);
    not_full_.wait(guard, [&] { return count_ < kCapacity; });
    ring_[(first_ + count_++) % kCapacity] = std::move(parcel);
    not_empty_.notify_one();
  }

  // Nothing when the queue is empty and closed.
  std::unique_ptr<Parcel> pop() {
    std::unique_lock guard(mutex_);
    not_empty_.wait(guard, [&] { return count_ > 0 || closed_; });
    if (count_ == 0) return nullptr;
    std::unique_ptr<Parcel> parcel = std::move(ring_[first_]);
    first_ = (first_ + 1) % kCapacity;
    --count_;
    not_full_.notify_one();
    return parcel;
  }

  void close() {
    const std::lock_guard guard(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  static constexpr size_t kCapacity = 32;
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  std::array<std::unique_ptr<Parcel>, kCapacity> ring_;
  size_t first_ = 0;
  size_t count_ = 0;
  bool closed_ = false;
};

std::unique_ptr<Parcel> produce(int number) {
  auto parcel = std::make_unique<Parcel>();
  parcel->number = static_cast<uint64_t>(number);
  kernel::Random random(parcel->number);
  for (uint32_t& word : parcel->words) word = static_cast<uint32_t>(random.next());
  return parcel;
}

uint64_t consume(Parcel& parcel) {
  std::ranges::sort(parcel.words);
  uint64_t sum = parcel.number;
  for (const uint32_t word : parcel.words) sum = sum * 31 + word;
  return sum;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int parcels = arguments.rounds(44000);
  const int producers = std::max(1, arguments.threads / 2);
  const int consumers = std::max(1, arguments.threads - producers);
  BoundedQueue queue;
  uint64_t checksum = 0;
  int consumed = 0;
  std::mutex result;
  std::thread consuming([&] {
    kernel::on_threads(consumers, [&](int) {
      uint64_t sum = 0;
      int count = 0;
      while (const std::unique_ptr<Parcel> parcel = queue.pop()) {
        sum += consume(*parcel);
        ++count;
      }
      const std::lock_guard guard(result);
      checksum += sum;
      consumed += count;
    });
  });
  kernel::on_threads(producers, [&](int index) {
    const int end = kernel::share(parcels, index + 1, producers);
    for (int i = kernel::share(parcels, index, producers); i < end; ++i) queue.push(produce(i));
  });
  queue.close();
  consuming.join();
  kernel::check(consumed == parcels, "every parcel is consumed once");
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("condvar_queue", argc, argv, run); }
