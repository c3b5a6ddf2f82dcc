#include "core/mixed_places.h"

namespace norn {

Where MixedPlaces::mix(Where a, unsigned bytes_of_a, Where b, unsigned bytes_of_b) {
  Places places;
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    const bool of_a = (bytes_of_a >> byte & 1) != 0;
    const bool of_b = (bytes_of_b >> byte & 1) != 0;
    places.of[byte] = of_a ? at(a, byte) : of_b ? at(b, byte) : kNowhere;
  }
  const SpinLock lock(mutex_);
  return intern(places);
}

Where MixedPlaces::intern(const Places& places) {
  if (buckets_ == nullptr) {
    buckets_ = static_cast<uint32_t*>(arena_->allocate_forever(kBuckets * sizeof(*buckets_)));
    if (buckets_ == nullptr) return kNowhere;
  }
  uint64_t key = 0;
  for (const Where where : places.of) key = (key ^ where) * 0x9e3779b97f4a7c15u;
  uint32_t& bucket = buckets_[key >> 48];
  static_assert(kBuckets == 1u << (64 - 48));
  for (uint32_t i = bucket; i != 0; i = entry(i - 1).next) {
    if (entry(i - 1).places == places) return (i - 1) | kMixed;
  }
  if (count_ >> kChunkBits >= kChunks) return kNowhere;
  Entry*& chunk = chunks_[count_ >> kChunkBits];
  if (chunk == nullptr) chunk = static_cast<Entry*>(arena_->allocate_forever(sizeof(Entry) << kChunkBits));
  if (chunk == nullptr) return kNowhere;
  Entry& made = entry(count_);
  made.places = places;
  made.next = bucket;
  bucket = ++count_;
  return (count_ - 1) | kMixed;
}

}  // namespace norn
