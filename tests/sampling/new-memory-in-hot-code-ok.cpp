// Blocks that go from one thread to the other through the allocator alone, allocated and freed in code that runs hot:
// new memory is new wherever it comes from, though nobody told that it was given back. Beside them blocks that change
// hands with a lock in them.
// STDOUT: 8000 1000
// NORACE

#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "together.h"

namespace {

constexpr int kRounds = 4000;
constexpr int kPassed = 1000;
constexpr int kBytes = 3000;  // more than the allocator keeps for each thread
std::atomic<long> used;

void use_and_free() {
  for (int i = 0; i < kRounds; ++i) {
    auto* block = static_cast<char*>(std::malloc(kBytes + i % 7 * 16));
    std::memset(block, i, kBytes);
    block[i % kBytes] = 1;
    used.fetch_add(block[i % kBytes], std::memory_order_relaxed);
    const size_t all = malloc_usable_size(block);
    block[all - 1] = 1;
    std::free(block);
    if (i % 50 == 0) std::this_thread::yield();
  }
}

struct Guarded {
  std::mutex mutex;
  int value = 0;
};
std::atomic<Guarded*> passed;
long sum;

void send() {
  for (int i = 0; i < kPassed; ++i) {
    auto* guarded = new Guarded;
    {
      const std::lock_guard lock(guarded->mutex);
      guarded->value = 1;
    }
    while (passed.load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
    passed.store(guarded, std::memory_order_release);
  }
}

void receive() {
  for (int i = 0; i < kPassed; ++i) {
    Guarded* guarded = nullptr;
    while ((guarded = passed.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    passed.store(nullptr, std::memory_order_release);
    {
      const std::lock_guard lock(guarded->mutex);
      sum += guarded->value;
    }
    delete guarded;
  }
}

}  // namespace

int main() {
  mallopt(M_ARENA_MAX, 1);
  together(use_and_free, use_and_free);
  together(send, receive);
  std::printf("%ld %ld\n", used.load(), sum);
}
