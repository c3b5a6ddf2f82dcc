// A hash table of records that are shared by counting, after what is told of LKRHash (Larson, Krishnan and Reilly's
// table, which LiteRace was measured with): it is divided into parts, each with a lock that readers share and whoever
// lets it grow has alone; a bucket has a word that is taken by compare-and-exchange; a record is kept alive by counting
// who holds it, atomically. Keys are texts, as a server's cache of pages has them. An operation does little beside: it
// hashes the text and compares it with the record's.
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "../kernels/kernel.h"

namespace {

constexpr uint64_t kKeys = 1 << 13;
constexpr int kChunk = 500;  // of operations, dealt to the threads
constexpr size_t kParts = 16;
constexpr size_t kLoad = 2;  // records for a bucket

// FNV-1a (Fowler, Noll and Vo).
uint64_t hash_text(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return kernel::mix(hash);
}

struct Record {
  std::string key;
  uint64_t hash;
  std::atomic<uint32_t> holders{1};  // the table is one
  std::atomic<uint64_t> hits{0};
  Record* next = nullptr;
  Record(const std::string& the_key, uint64_t the_hash) : key(the_key), hash(the_hash) {}
};

// Whoever holds it may use the record.
class Held {
 public:
  explicit Held(Record* record) : record_(record) { record_->holders.fetch_add(1, std::memory_order_relaxed); }
  ~Held() { release(record_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Record* operator->() const { return record_; }

  static void release(Record* record) {
    if (record->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete record;
  }

 private:
  Record* record_;
};

class Bucket {
 public:
  void lock() {
    for (uint32_t free = 0; !taken_.compare_exchange_weak(free, 1, std::memory_order_acquire); free = 0)
      std::this_thread::yield();
  }
  void unlock() { taken_.store(0, std::memory_order_release); }
  Record* first = nullptr;

 private:
  std::atomic<uint32_t> taken_{0};
};

class Part {
 public:
  ~Part() {
    for (size_t i = 0; i < count_; ++i) {
      for (Record* record = buckets_[i].first; record != nullptr;) Held::release(std::exchange(record, record->next));
    }
  }

  void hit(const std::string& key, uint64_t hash) {
    bool is_full = false;
    {
      const std::shared_lock guard(growing_);
      Bucket& bucket = buckets_[hash / kParts % count_];
      bucket.lock();
      Record* found = bucket.first;
      while (found != nullptr && found->key != key) found = found->next;
      if (found == nullptr) {
        found = new Record(key, hash);
        found->next = bucket.first;
        bucket.first = found;
        is_full = records_.fetch_add(1, std::memory_order_relaxed) + 1 > kLoad * count_;
      }
      const Held held(found);
      bucket.unlock();
      held->hits.fetch_add(1, std::memory_order_relaxed);
    }
    if (is_full) grow();
  }

  // Only while no other thread uses the table.
  template <typename Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < count_; ++i)
      for (const Record* record = buckets_[i].first; record != nullptr; record = record->next)
        visit(record->hash, record->hits.load());
  }

 private:
  void grow() {
    const std::unique_lock guard(growing_);
    if (records_.load(std::memory_order_relaxed) <= kLoad * count_) return;  // somebody did
    const size_t more = count_ * 2;
    auto bigger = std::make_unique<Bucket[]>(more);
    for (size_t i = 0; i < count_; ++i) {
      for (Record* record = buckets_[i].first; record != nullptr;) {
        Record* next = record->next;
        Bucket& bucket = bigger[record->hash / kParts % more];
        record->next = bucket.first;
        bucket.first = record;
        record = next;
      }
    }
    buckets_ = std::move(bigger);
    count_ = more;
  }

  std::shared_mutex growing_;
  size_t count_ = 8;
  std::unique_ptr<Bucket[]> buckets_ = std::make_unique<Bucket[]>(8);
  std::atomic<size_t> records_{0};
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(40000);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < kKeys; ++i)
    keys.push_back("/directory-" + std::to_string(kernel::mix(i) % 100) + "/page-" + std::to_string(kernel::mix(i)) +
                   ".html");
  std::vector<Part> parts(kParts);
  kernel::on_threads(arguments.threads, [&](int index) {
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        const std::string& key = keys[random.below(kKeys)];
        const uint64_t hash = hash_text(key);
        parts[hash % kParts].hit(key, hash);
      }
    }
  });
  uint64_t sum = 0;
  uint64_t hits = 0;
  for (const Part& part : parts) {
    part.each([&](uint64_t hash, uint64_t count) {
      sum += kernel::mix(hash ^ kernel::mix(count));
      hits += count;
    });
  }
  kernel::check(hits == static_cast<uint64_t>(chunks) * kChunk, "each hit is counted once");
  return sum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("sharded_table", argc, argv, run); }
