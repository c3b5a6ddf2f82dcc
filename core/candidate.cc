#include "core/candidate.h"

#include "base/hash.h"

namespace norn {

bool Candidates::init(Arena& arena, const Listener& listener) {
  arena_ = &arena;
  listener_ = listener;
  buckets_ = static_cast<std::atomic<Candidate*>*>(arena.allocate_zeroed(kBuckets * sizeof(std::atomic<Candidate*>)));
  return buckets_ != nullptr;
}

Candidate* Candidates::lookup(const Key& key) const {
  for (Candidate* c = buckets_[key.bucket].load(std::memory_order_acquire); c != nullptr; c = c->next_in_bucket) {
    if (c->site_a == key.site_a && c->site_b == key.site_b) return c;
  }
  return nullptr;
}

Candidates::Key Candidates::key_of(const RacingPair& pair) const {
  uint64_t a = pair.earlier.where;
  uint64_t b = pair.later.where;
  if (listener_.site != nullptr) {
    a = listener_.site(listener_.context, pair.earlier.where);
    b = listener_.site(listener_.context, pair.later.where);
  }
  if (a > b) {
    const uint64_t swap = a;
    a = b;
    b = swap;
  }
  return {a, b, static_cast<unsigned>(hash_pair(a, b) >> 40) % kBuckets};
}

bool Candidates::knows(const RacingPair& pair) const {
  const Candidate* known = lookup(key_of(pair));
  return known != nullptr && known->standing.load(std::memory_order_relaxed) >= pair.standing;
}

void Candidates::found(const RacingPair& pair) {
  if (listener_.pair != nullptr) listener_.pair(listener_.context, pair);
  const Key key = key_of(pair);
  Candidate* known = lookup(key);
  if (known != nullptr && known->standing.load(std::memory_order_relaxed) >= pair.standing) {
    known->count.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  {
    SpinLock lock(mutex_);
    known = lookup(key);
    if (known != nullptr && known->standing.load(std::memory_order_relaxed) >= pair.standing) {
      known->count.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const bool fresh = known == nullptr;
    if (fresh) known = arena_->create<Candidate>();
    if (known == nullptr) return;
    known->first = pair;
    known->standing.store(pair.standing, std::memory_order_relaxed);
    known->count.fetch_add(1, std::memory_order_relaxed);
    if (fresh) {
      known->site_a = key.site_a;
      known->site_b = key.site_b;
      known->number = size_.fetch_add(1, std::memory_order_relaxed);
      known->next_in_bucket = buckets_[key.bucket].load(std::memory_order_relaxed);
      buckets_[key.bucket].store(known, std::memory_order_release);
      (last_ == nullptr ? first_ : last_->next).store(known, std::memory_order_release);
      last_ = known;
    }
  }
  if (listener_.candidate != nullptr) listener_.candidate(listener_.context, *known);
}

}  // namespace norn
