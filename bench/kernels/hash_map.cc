// A chained hash map with one mutex for every stripe of buckets: many short critical sections on memory that all
// threads share.
#include <array>
#include <memory>
#include <mutex>

#include "kernel.h"

namespace {

constexpr uint64_t kKeys = 1 << 16;
constexpr int kChunk = 1000;  // of operations, dealt to the threads

class StripedMap {
 public:
  void add(uint64_t key, uint64_t amount) {
    const size_t bucket = bucket_of(key);
    const std::lock_guard guard(stripes_[bucket % kStripes]);
    Node* node = find(bucket, key);
    if (node == nullptr) {
      buckets_[bucket] = std::make_unique<Node>(key, 0, std::move(buckets_[bucket]));
      node = buckets_[bucket].get();
    }
    node->sum += amount;
  }

  bool contains(uint64_t key) {
    const size_t bucket = bucket_of(key);
    const std::lock_guard guard(stripes_[bucket % kStripes]);
    return find(bucket, key) != nullptr;
  }

  // Only while no other thread uses the map.
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& bucket : buckets_) {
      for (const Node* node = bucket.get(); node != nullptr; node = node->next.get()) visit(node->key, node->sum);
    }
  }

 private:
  struct Node {
    uint64_t key;
    uint64_t sum;
    std::unique_ptr<Node> next;
    Node(uint64_t the_key, uint64_t the_sum, std::unique_ptr<Node> rest)
        : key(the_key), sum(the_sum), next(std::move(rest)) {}
  };
  static constexpr size_t kBuckets = 1 << 14;
  static constexpr size_t kStripes = 64;

  static size_t bucket_of(uint64_t key) { return kernel::mix(key) % kBuckets; }

  Node* find(size_t bucket, uint64_t key) {
    Node* node = buckets_[bucket].get();
    while (node != nullptr && node->key != key) node = node->next.get();
    return node;
  }

  std::array<std::mutex, kStripes> stripes_;
  std::vector<std::unique_ptr<Node>> buckets_{kBuckets};
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(32000);
  StripedMap map;
  kernel::on_threads(arguments.threads, [&](int index) {
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        const uint64_t key = random.below(kKeys);
        if (i % 2 == 0) {
          map.add(key, 1);
          if (i % 64 == 0) kernel::check(map.contains(key), "a key just added is there");
        } else {
          (void)map.contains(key);
        }
      }
    }
  });
  uint64_t sum = 0;
  uint64_t checksum = 0;
  map.each([&](uint64_t key, uint64_t amount) {
    sum += amount;
    checksum += kernel::mix(key) * amount;
  });
  kernel::check(sum == static_cast<uint64_t>(chunks) * kChunk / 2, "the sum of all that was added");
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("hash_map", argc, argv, run); }
