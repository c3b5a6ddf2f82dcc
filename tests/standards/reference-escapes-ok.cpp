// A registry gives out a copy of its list, made under the mutex ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

class Registry {
 public:
  std::array<int, 4> ports() {
    std::lock_guard lock(mutex_);
    return ports_;
  }

  void set(std::size_t index, int port) {
    std::lock_guard lock(mutex_);
    ports_[index] = port;
  }

 private:
  std::mutex mutex_;
  std::array<int, 4> ports_ = {80, 443, 8080, 8443};
};

Registry registry;
std::atomic<bool> asked;

static void reads(int* seen) {
  const std::array<int, 4> ports = registry.ports();
  asked.store(true, std::memory_order_relaxed);
  *seen = ports[2];
}

static void changes() {
  // Comes after the registry was asked; relaxed, so this orders nothing.
  while (!asked.load(std::memory_order_relaxed)) std::this_thread::yield();
  registry.set(2, 9090);
}

int main() {
  int seen = 0;
  std::thread reader(reads, &seen);
  std::thread writer(changes);
  reader.join();
  writer.join();
  return seen != 8080 && seen != 9090;
}
