// One thread sums up a vector and another appends to it, both under the mutex ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
std::vector<int> table(4, 1);
std::atomic<bool> was_read;
long sum;

static void sums_up() {
  {
    std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < table.size(); i++) sum += table[i];
  }
  was_read.store(true, std::memory_order_relaxed);
}

static void appends() {
  // The read comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!was_read.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::lock_guard lock(mutex);
  for (int i = 0; i < 8; i++) table.push_back(i);
}

int main() {
  std::thread reader(sums_up);
  std::thread writer(appends);
  reader.join();
  writer.join();
  return sum != 4 || table.size() != 12;
}
