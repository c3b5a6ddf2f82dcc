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

SpinMessages::Part& SpinMessages::unused() {
  Part* found = parts_;
  while (found->mask != 0) ++found;  // parts are disjoint: one is free whenever a byte is in none
  return *found;
}

void SpinMessages::forget(Arena& arena, unsigned mask) {
  for (Part& part : parts_) {
    if ((part.mask & mask) == 0) continue;
    part.mask &= ~mask;
    if (part.mask == 0) part.clocks.clear(arena);
  }
}

bool SpinMessages::assign(Arena& arena, unsigned mask, const Clocks& clocks) {
  forget(arena, mask);
  Part& part = unused();
  part.mask = mask;
  return part.clocks.assign(arena, clocks);
}

bool SpinMessages::join(Arena& arena, unsigned mask, const Clocks& clocks) {
  bool complete = true;
  unsigned left = mask;
  for (unsigned byte = 0; byte < kWordBytes && left != 0; ++byte) {
    if ((left >> byte & 1) == 0) continue;
    Part* part = parts_;
    while (part != parts_ + kWordBytes && (part->mask >> byte & 1) == 0) ++part;
    if (part == parts_ + kWordBytes) {  // nothing is there yet
      Part& fresh = unused();
      fresh.mask = 1u << byte;
      complete &= fresh.clocks.assign(arena, clocks);
      left &= ~fresh.mask;
      continue;
    }
    const unsigned common = part->mask & left;
    if (common != part->mask) {  // the other bytes keep what they have
      part->mask &= ~common;
      Part& split = unused();
      split.mask = common;
      complete &= split.clocks.assign(arena, part->clocks);
      part = &split;
    }
    complete &= part->clocks.join(arena, clocks);
    left &= ~common;
  }
  return complete;
}

bool SpinMessages::collect(Arena& arena, unsigned mask, Clocks& clocks) const {
  bool complete = true;
  for (const Part& part : parts_) {
    if ((part.mask & mask) != 0) complete &= clocks.join(arena, part.clocks);
  }
  return complete;
}

void SyncTable::remove_if(Address address, int family) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  SpinLock lock(s.mutex);
  if (s.bucket_count == 0) return;
  for (SyncObject** place = &s.buckets[h / kShards % s.bucket_count]; *place != nullptr;) {
    SyncObject* o = *place;
    const bool meant = family >= 0 ? o->family == static_cast<SyncFamily>(family) : o->family != SyncFamily::kSpin;
    if (o->address != address || !meant) {
      place = &o->next;
      continue;
    }
    *place = o->next;
    o->gone.store(true, std::memory_order_relaxed);
    o->next = s.removed;
    s.removed = o;
    --s.size;
    size_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void SyncTable::remove(Address address, SyncFamily family) { remove_if(address, static_cast<int>(family)); }

void SyncTable::remove_range(Address begin, Address end) {
  shadow_->take_objects(begin, end, [&](Address word) {
    unsigned gone = 0;
    for (Address a = word; a < word + kWordBytes; ++a) {
      if (a < begin || a >= end) continue;
      remove_if(a, -1);
      gone |= 1u << (a - word);
    }
    if (gone == kAllBytes) {
      remove_if(word, static_cast<int>(SyncFamily::kSpin));
      return;
    }
    shadow_->mark_object(word);
    if (SyncObject* object = find(word, SyncFamily::kSpin); object != nullptr) {
      const SpinLock lock(object->mutex);
      if (object->spin != nullptr) object->spin->forget(*arena_, gone);
    }
  });
}

void SyncTable::clear(SyncObject& o) {
  o.message.clear(*arena_);
  if (o.spin != nullptr) {
    o.spin->forget(*arena_, kAllBytes);
    arena_->destroy(o.spin);
  }
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
