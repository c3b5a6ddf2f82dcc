// A registry gives out a reference to its list, and the mutex that it holds meanwhile is unlocked when the caller uses
// it. The lock that the writer takes later orders what came before that unlock, not the reads after it
// ([thread.mutex.requirements.mutex], [intro.races]).
// RUN: %check %s

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

class Registry {
 public:
  const std::array<int, 4>& ports() {
    std::lock_guard lock(mutex_);
    return ports_;
  }

  void set(std::size_t index, int port) {
    std::lock_guard lock(mutex_);
    ports_[index] = port;  // RACE: observed registry
  }

 private:
  std::mutex mutex_;
  std::array<int, 4> ports_ = {80, 443, 8080, 8443};
};

Registry registry;
std::atomic<bool> asked;

static void reads(int* seen) {
  const std::array<int, 4>& ports = registry.ports();
  asked.store(true, std::memory_order_relaxed);
  *seen = ports[2];  // RACE: observed registry
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
