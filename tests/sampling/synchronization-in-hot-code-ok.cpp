// Locks, condition variables and atomics in loops that run hot: all of it is told, in both copies.
// STDOUT: 3000 1500 79800
// NORACE

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "together.h"

namespace {

constexpr int kRounds = 1500;
constexpr int kItems = 400;
std::mutex mutex;
long counted;

std::mutex queue_mutex;
std::condition_variable ready;
std::vector<int> queue;
long received;

std::atomic<int*> box{nullptr};
long sum;

void count() {
  for (int i = 0; i < kRounds; ++i) {
    const std::lock_guard lock(mutex);
    ++counted;
  }
}

void produce() {
  for (int i = 0; i < kRounds; ++i) {
    {
      const std::lock_guard lock(queue_mutex);
      queue.push_back(i);
    }
    ready.notify_one();
  }
}

void consume() {
  for (int i = 0; i < kRounds; ++i) {
    std::unique_lock lock(queue_mutex);
    while (queue.empty()) ready.wait(lock);
    queue.pop_back();
    ++received;
  }
}

void send() {
  for (int i = 0; i < kItems; ++i) {
    while (box.load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
    box.store(new int(i), std::memory_order_release);
  }
}

void receive() {
  for (int i = 0; i < kItems; ++i) {
    int* item = nullptr;
    while ((item = box.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    sum += *item;
    delete item;
    box.store(nullptr, std::memory_order_release);
  }
}

}  // namespace

int main() {
  together(count, count);
  together(produce, consume);
  together(send, receive);
  std::printf("%ld %ld %ld\n", counted, received, sum);
}
