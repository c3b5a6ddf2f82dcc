// Blocks go from thread to thread: what one did to the memory in an earlier life is gone when another allocates it.
// NORACE

#include <atomic>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::queue<std::vector<int>> queue;
static std::atomic<long> total;

static void work(int number) {
  for (int i = 0; i < 50; i++) {
    std::vector<int> made(static_cast<size_t>(5 + i % 7), number);
    {
      const std::lock_guard lock(mutex);
      queue.push(std::move(made));
    }
    std::vector<int> taken;
    {
      const std::lock_guard lock(mutex);
      if (!queue.empty()) {
        taken = std::move(queue.front());
        queue.pop();
      }
    }
    for (const int value : taken) total += value;
  }
}

int main() {
  for (int round = 0; round < 10; round++) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back([i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  }
}
