// Look-ups in a cache share its lock; each counts a hit by an atomic increment, which does not race with another
// ([intro.races]). Fills hold the lock alone ([thread.sharedmutex.requirements]).
// NORACE
// RUN: %check %s

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

struct Entry {
  bool is_set = false;
  int value = 0;
  std::atomic<int> hits = 0;
};

std::shared_mutex mutex;
std::array<Entry, 8> cache;

static void fill(unsigned key, int value) {
  std::unique_lock lock(mutex);
  Entry& entry = cache[key % cache.size()];
  entry.is_set = true;
  entry.value = value;
}

static std::optional<int> look_up(unsigned key) {
  std::shared_lock lock(mutex);
  Entry& entry = cache[key % cache.size()];
  if (!entry.is_set) return std::nullopt;
  entry.hits++;
  return entry.value;
}

int main() {
  fill(3, 30);
  int first = 0, second = 0;
  std::thread a([&first] { first = look_up(3).value_or(-1); });
  std::thread b([&second] { second = look_up(3).value_or(-1); });
  a.join();
  b.join();
  fill(3, 31);
  return first != 30 || second != 30;
}
