#include "runtime/probe/ordered_objects.h"

#include "base/hash.h"

namespace norn::probe {

size_t OrderedObjects::home_of(uint64_t key) {
  constexpr unsigned kBits = 13;
  static_assert(size_t{1} << kBits == kRoom);
  return hash_word(key) >> (64 - kBits);
}

void OrderedObjects::begin(WatchNumber watch) {
  count_ = 0;
  full_.store(false, std::memory_order_relaxed);
  watch_.store(watch, std::memory_order_release);
}

void OrderedObjects::add(uintptr_t object, Passes passes) {
  if (contains(object, passes)) return;
  if (count_ == kMost) return full_.store(true, std::memory_order_release);
  ++count_;
  const uint64_t key = key_of(object, passes);
  const WatchNumber watch = watch_.load(std::memory_order_relaxed);
  size_t at = home_of(key);
  while (entries_[at].watch.load(std::memory_order_relaxed) == watch) at = (at + 1) % kRoom;
  entries_[at].key.store(key, std::memory_order_relaxed);
  entries_[at].watch.store(watch, std::memory_order_release);
}

bool OrderedObjects::contains(uintptr_t object, Passes passes) const {
  if (full_.load(std::memory_order_acquire)) return true;
  const uint64_t key = key_of(object, passes);
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  for (size_t at = home_of(key); entries_[at].watch.load(std::memory_order_acquire) == watch; at = (at + 1) % kRoom) {
    if (entries_[at].key.load(std::memory_order_relaxed) == key) return true;
  }
  return false;
}

}  // namespace norn::probe
