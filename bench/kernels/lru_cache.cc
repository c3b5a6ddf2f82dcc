// A least-recently-used cache, a list and a hash table of the standard library, under one mutex: longer critical
// sections that all threads want.
#include <list>
#include <mutex>
#include <unordered_map>

#include "kernel.h"

namespace {

constexpr uint64_t kKeys = 1 << 14;
constexpr int kChunk = 1000;

uint64_t value_of(uint64_t key) {
  for (int i = 0; i < 8; ++i) key = kernel::mix(key);
  return key;
}

class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) { places_.reserve(2 * capacity); }

  bool get(uint64_t key, uint64_t& value) {
    const std::lock_guard guard(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return false;
    entries_.splice(entries_.begin(), entries_, found->second);
    value = found->second->value;
    return true;
  }

  void put(uint64_t key, uint64_t value) {
    const std::lock_guard guard(mutex_);
    if (places_.contains(key)) return;
    if (entries_.size() == capacity_) {
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, value});
    places_.emplace(key, entries_.begin());
  }

  // Only while no other thread uses the cache.
  [[nodiscard]] bool is_whole() const {
    if (entries_.size() != places_.size() || entries_.size() > capacity_) return false;
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      const auto found = places_.find(entry->key);
      if (found == places_.end() || found->second != entry || entry->value != value_of(entry->key)) return false;
    }
    return true;
  }

 private:
  struct Entry {
    uint64_t key;
    uint64_t value;
  };
  std::mutex mutex_;
  const size_t capacity_;
  std::list<Entry> entries_;
  std::unordered_map<uint64_t, std::list<Entry>::iterator> places_;
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(20000);
  LruCache cache(kKeys / 4);
  std::vector<uint64_t> sums(static_cast<size_t>(arguments.threads));
  kernel::on_threads(arguments.threads, [&](int index) {
    uint64_t sum = 0;
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        // Half of the asking is for one key in sixteen.
        const uint64_t key = random.below(i % 2 == 0 ? kKeys : kKeys / 16);
        uint64_t value = 0;
        if (!cache.get(key, value)) {
          value = value_of(key);
          cache.put(key, value);
        }
        sum += value;
      }
    }
    sums[static_cast<size_t>(index)] = sum;
  });
  kernel::check(cache.is_whole(), "list and table of the cache agree");
  uint64_t checksum = 0;
  for (const uint64_t sum : sums) checksum += sum;
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("lru_cache", argc, argv, run); }
