#include "core/sync.h"

namespace norn {

bool SyncTable::init(Arena& arena, Shadow& shadow) {
  arena_ = &arena;
  shadow_ = &shadow;
  return true;
}

uint64_t SyncTable::hash(Address address) {
  const uint64_t h = (address ^ address >> 32) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

bool SyncTable::grow(Shard& shard) {
  const size_t count = shard.bucket_count == 0 ? 16 : shard.bucket_count * 4;
  auto** buckets = static_cast<SyncObject**>(arena_->allocate_zeroed(count * sizeof(SyncObject*)));
  if (buckets == nullptr) return shard.bucket_count != 0;
  for (size_t i = 0; i < shard.bucket_count; ++i) {
    for (SyncObject* o = shard.buckets[i]; o != nullptr;) {
      SyncObject* next = o->next;
      SyncObject*& place = buckets[hash(o->address) / kShards % count];
      o->next = place;
      place = o;
      o = next;
    }
  }
  arena_->release(shard.buckets, shard.bucket_count * sizeof(SyncObject*));
  shard.buckets = buckets;
  shard.bucket_count = count;
  return true;
}

SyncObject* SyncTable::get(Address address, SyncFamily family) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  SpinLock lock(s.mutex);
  if (s.bucket_count != 0) {
    for (SyncObject* o = s.buckets[h / kShards % s.bucket_count]; o != nullptr; o = o->next) {
      if (o->address == address && o->family == family) return o;
    }
  }
  if (s.size >= s.bucket_count && !grow(s)) return nullptr;
  auto* made = arena_->create<SyncObject>();
  if (made == nullptr) return nullptr;
  made->address = address;
  made->family = family;
  SyncObject*& place = s.buckets[h / kShards % s.bucket_count];
  made->next = place;
  place = made;
  ++s.size;
  size_.fetch_add(1, std::memory_order_relaxed);
  shadow_->mark_object(address);
  return made;
}

SyncObject* SyncTable::find(Address address, SyncFamily family) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  SpinLock lock(s.mutex);
  if (s.bucket_count == 0) return nullptr;
  for (SyncObject* o = s.buckets[h / kShards % s.bucket_count]; o != nullptr; o = o->next) {
    if (o->address == address && o->family == family) return o;
  }
  return nullptr;
}

void SyncTable::remove_if(Address address, int family) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  SpinLock lock(s.mutex);
  if (s.bucket_count == 0) return;
  for (SyncObject** place = &s.buckets[h / kShards % s.bucket_count]; *place != nullptr;) {
    SyncObject* o = *place;
    if (o->address != address || (family >= 0 && o->family != static_cast<SyncFamily>(family))) {
      place = &o->next;
      continue;
    }
    *place = o->next;
    o->next = s.removed;
    s.removed = o;
    --s.size;
    size_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void SyncTable::remove(Address address, SyncFamily family) { remove_if(address, static_cast<int>(family)); }

void SyncTable::remove_range(Address begin, Address end) {
  shadow_->take_objects(begin, end, [&](Address word) {
    bool left = false;
    for (Address a = word; a < word + kWordBytes; ++a) {
      if (a >= begin && a < end) {
        remove_if(a, -1);
      } else {
        left = true;
      }
    }
    if (left) shadow_->mark_object(word);
  });
}

void SyncTable::clear(SyncObject& o) {
  o.message.clear(*arena_);
  o.lock.exclusive.clear(*arena_);
  o.lock.shared.clear(*arena_);
  o.condition.all_signals.clear(*arena_);
  if (Bindings* bindings = o.condition.bindings; bindings != nullptr) {
    for (unsigned i = 0; i < bindings->count; ++i) {
      bindings->order[i]->clocks.clear(*arena_);
      arena_->destroy(bindings->order[i]);
    }
    arena_->destroy(bindings);
  }
  for (Thread* waiter = o.condition.waiters; waiter != nullptr;) {
    Thread* next = waiter->next_waiter;
    waiter->waiting_on = nullptr;
    waiter->next_waiter = nullptr;
    waiter = next;
  }
  if (BarrierGeneration* generation = o.barrier.current; generation != nullptr) {
    generation->closed = true;
    if (generation->members == 0) {
      generation->clocks.clear(*arena_);
      arena_->destroy(generation);
    }
  }
}

void SyncTable::reuse_removed() {
  for (Shard& s : shards_) {
    for (SyncObject* o = s.removed; o != nullptr;) {
      SyncObject* next = o->next;
      clear(*o);
      arena_->destroy(o);
      o = next;
    }
    s.removed = nullptr;
  }
}

}  // namespace norn
