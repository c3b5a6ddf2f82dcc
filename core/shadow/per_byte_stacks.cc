#include "core/shadow/per_byte_stacks.h"

#include "base/hash.h"

namespace norn {

StackId PerByteStacks::mix(StackId a, unsigned bytes_of_a, StackId b, unsigned bytes_of_b) {
  Places places;
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    const bool of_a = (bytes_of_a >> byte & 1) != 0;
    const bool of_b = (bytes_of_b >> byte & 1) != 0;
    places.of[byte] = of_a ? at(a, byte) : of_b ? at(b, byte) : kNoStack;
  }
  return intern(places);
}

// What is in a bucket stays there.
StackId PerByteStacks::find(const Places& places, const std::atomic<uint32_t>& bucket) const {
  for (uint32_t i = bucket.load(std::memory_order_acquire); i != 0; i = entry(i - 1).next) {
    if (entry(i - 1).places == places) return (i - 1) | kPerByte;
  }
  return kNoStack;
}

StackId PerByteStacks::intern(const Places& places) {
  uint64_t key = 0;
  for (const StackId where : places.of) key = hash_next(key, where);
  const auto number = static_cast<size_t>(key >> 48);
  static_assert(kBuckets == 1u << (64 - 48));
  std::atomic<uint32_t>* buckets = buckets_.load(std::memory_order_acquire);
  if (buckets != nullptr) {
    if (const StackId found = find(places, buckets[number]); found != kNoStack || is_full()) return found;
  }

  const SpinLock lock(mutex_);
  buckets = buckets_.load(std::memory_order_relaxed);
  if (buckets == nullptr) {
    buckets = static_cast<std::atomic<uint32_t>*>(arena_->allocate_forever(kBuckets * sizeof(*buckets)));
    if (buckets == nullptr) return kNoStack;
    buckets_.store(buckets, std::memory_order_release);
  }
  std::atomic<uint32_t>& bucket = buckets[number];
  if (const StackId found = find(places, bucket); found != kNoStack || is_full()) return found;
  const uint32_t index = count_.load(std::memory_order_relaxed);
  Entry*& chunk = chunks_[index >> kChunkBits];
  if (chunk == nullptr) chunk = static_cast<Entry*>(arena_->allocate_forever(sizeof(Entry) << kChunkBits));
  if (chunk == nullptr) return kNoStack;
  Entry& made = entry(index);
  made.places = places;
  made.next = bucket.load(std::memory_order_relaxed);
  bucket.store(index + 1, std::memory_order_release);
  count_.store(index + 1, std::memory_order_relaxed);
  return index | kPerByte;
}

}  // namespace norn
