#include "core/order/sync.h"

#include "base/hash.h"

namespace norn {

bool SyncTable::init(Arena& arena, Shadow& shadow, std::atomic<bool>& wants_collection) {
  arena_ = &arena;
  shadow_ = &shadow;
  wants_collection_ = &wants_collection;
  return true;
}

uint64_t SyncTable::hash(Address address) {
  const uint64_t h = hash_word(address ^ address >> 32);
  return h ^ h >> 29;
}

SyncObject* SyncTable::find_in(const Shard& shard, uint64_t hash, Address address, SyncFamily family) {
  const Table* table = shard.table.load(std::memory_order_acquire);
  if (table == nullptr) return nullptr;
  const uint64_t key = key_of(address, family);
  for (size_t at = place_of(*table, hash);; at = (at + 1) & (table->count - 1)) {
    const uint64_t found = table->entries[at].key.load(std::memory_order_acquire);
    if (found == kUnused) return nullptr;
    if (found != key) continue;
    SyncObject* object = table->entries[at].object.load(std::memory_order_acquire);
    if (object->address == address && object->family == family) return object;
  }
}

// Under the shard's lock, of a key that is not there and where an entry is unused. What was removed before it on its
// way makes room. Whether an unused one was needed.
bool SyncTable::put(Table& table, uint64_t hash, uint64_t key, SyncObject* object) {
  size_t at = place_of(table, hash);
  uint64_t before = 0;
  while ((before = table.entries[at].key.load(std::memory_order_relaxed)) > kRemoved) at = (at + 1) & (table.count - 1);
  table.entries[at].object.store(object, std::memory_order_release);
  table.entries[at].key.store(key, std::memory_order_release);
  return before == kUnused;
}

SyncTable::Table* SyncTable::make_table(size_t count, Table* older) {
  auto* table = arena_->create<Table>();
  if (table == nullptr) return nullptr;
  *table = {older, count, static_cast<Entry*>(arena_->allocate_zeroed(count * sizeof(Entry)))};
  if (table->entries != nullptr) return table;
  arena_->destroy(table);
  return nullptr;
}

// Under the shard's lock: at least a quarter of the entries stay unused. Who looks may still be in the older table.
bool SyncTable::make_room(Shard& shard) {
  Table* older = shard.table.load(std::memory_order_relaxed);
  if (older != nullptr && shard.filled < older->count - older->count / 4) return true;
  size_t count = 16;
  while (count < 2 * shard.size) count *= 2;
  Table* table = make_table(count, older);
  if (table == nullptr) return older != nullptr && shard.filled + 1 < older->count;
  for (size_t i = 0; older != nullptr && i < older->count; ++i) {
    const uint64_t key = older->entries[i].key.load(std::memory_order_relaxed);
    if (key <= kRemoved) continue;
    SyncObject* object = older->entries[i].object.load(std::memory_order_relaxed);
    put(*table, hash(object->address), key, object);
  }
  shard.filled = shard.size;
  shard.table.store(table, std::memory_order_release);
  return true;
}

SyncObject* SyncTable::get(Address address, SyncFamily family) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  if (SyncObject* found = find_in(s, h, address, family); found != nullptr) return found;
  SpinLock lock(s.mutex);
  if (SyncObject* found = find_in(s, h, address, family); found != nullptr) return found;
  if (!make_room(s)) return nullptr;
  auto* made = static_cast<SyncObject*>(arena_->allocate_zeroed(bytes_of(family)));
  if (made == nullptr) return nullptr;
  made->address = address;
  made->family = family;
  if (put(*s.table.load(std::memory_order_relaxed), h, key_of(address, family), made)) ++s.filled;
  ++s.size;
  size_.fetch_add(1, std::memory_order_relaxed);
  shadow_->mark_object(address);
  if (family == SyncFamily::kSpin) shadow_->mark_object(address + kWordBytes);
  return made;
}

SyncObject* SyncTable::find(Address address, SyncFamily family) {
  const uint64_t h = hash(address);
  return find_in(shard(h), h, address, family);
}

unsigned SpinClocks::unused() const {
  unsigned part = 0;
  while (masks_[part] != 0) ++part;  // parts are disjoint: one is free whenever a byte is in none
  return part;
}

unsigned SpinClocks::count() const {
  unsigned used = 0;
  for (const uint8_t mask : masks_) used += mask != 0 ? 1 : 0;
  return used;
}

void SpinClocks::forget(Arena& arena, unsigned mask) {
  for (unsigned i = 0; i < kParts; ++i) {
    if ((masks_[i] & mask) == 0) continue;
    masks_[i] = static_cast<uint8_t>(masks_[i] & ~mask);
    if (masks_[i] == 0) clocks_[i].clear(arena);
  }
}

void SpinClocks::unite(Arena& arena) {
  for (unsigned i = 0; i < kParts; ++i) {
    for (unsigned k = i + 1; k < kParts && masks_[i] != 0; ++k) {
      if (masks_[k] == 0 || !clocks_[i].includes(clocks_[k]) || !clocks_[k].includes(clocks_[i])) continue;
      masks_[i] |= masks_[k];
      masks_[k] = 0;
      clocks_[k].clear(arena);
    }
  }
}

bool SpinClocks::assign(Arena& arena, unsigned mask, const VectorClocks& clocks) {
  for (unsigned i = 0; i < kParts; ++i) {
    if (masks_[i] == mask) return clocks_[i].assign(arena, clocks);
  }
  forget(arena, mask);
  const unsigned part = unused();
  masks_[part] = static_cast<uint8_t>(mask);
  return clocks_[part].assign(arena, clocks);
}

bool SpinClocks::join(Arena& arena, unsigned mask, const VectorClocks& clocks) {
  for (unsigned i = 0; i < kParts; ++i) {
    if (masks_[i] == mask) return clocks_[i].join(arena, clocks);
  }
  bool complete = true;
  unsigned left = mask;
  for (unsigned byte = 0; byte < kGranuleBytes && left != 0; ++byte) {
    if ((left >> byte & 1) == 0) continue;
    unsigned part = 0;
    while (part != kParts && (masks_[part] >> byte & 1) == 0) ++part;
    if (part == kParts) {  // nothing is there yet
      part = unused();
      masks_[part] = static_cast<uint8_t>(1u << byte);
      complete &= clocks_[part].assign(arena, clocks);
      left &= ~(1u << byte);
      continue;
    }
    const unsigned common = masks_[part] & left;
    if (common != masks_[part]) {  // the other bytes keep what they have
      masks_[part] = static_cast<uint8_t>(masks_[part] & ~common);
      const unsigned split = unused();
      masks_[split] = static_cast<uint8_t>(common);
      complete &= clocks_[split].assign(arena, clocks_[part]);
      part = split;
    }
    complete &= clocks_[part].join(arena, clocks);
    left &= ~common;
  }
  unite(arena);
  return complete;
}

bool SpinClocks::collect(Arena& arena, unsigned mask, VectorClocks& clocks) const {
  bool complete = true;
  for (unsigned i = 0; i < kParts; ++i) {
    if ((masks_[i] & mask) != 0) complete &= clocks.join(arena, clocks_[i]);
  }
  return complete;
}

template <class IsMeant>
void SyncTable::remove_if(Address address, IsMeant is_meant) {
  const uint64_t h = hash(address);
  Shard& s = shard(h);
  // All families of an address are on the same way. Who adds one at the same time comes later.
  auto is_there = [&](const Table& table, size_t at) {
    const uint64_t key = table.entries[at].key.load(std::memory_order_acquire);
    if (key == kRemoved || ((key ^ address) & kAddressBits) != 0) return false;
    const SyncObject* object = table.entries[at].object.load(std::memory_order_acquire);
    return object->address == address && is_meant(object->family) && !object->gone.load(std::memory_order_relaxed);
  };
  auto for_each = [&](const Table& table, auto visit) {
    for (size_t at = place_of(table, h); table.entries[at].key.load(std::memory_order_acquire) != kUnused;
         at = (at + 1) & (table.count - 1)) {
      if (is_there(table, at) && !visit(table.entries[at])) return;
    }
  };
  bool any = false;
  if (const Table* table = s.table.load(std::memory_order_acquire); table != nullptr) {
    for_each(*table, [&](Entry&) { return !(any = true); });
  }
  if (!any) return;
  const SpinLock lock(s.mutex);
  for_each(*s.table.load(std::memory_order_relaxed), [&](Entry& entry) {
    SyncObject* object = entry.object.load(std::memory_order_relaxed);
    entry.key.store(kRemoved, std::memory_order_relaxed);
    object->gone.store(true, std::memory_order_relaxed);
    object->next = s.removed;
    s.removed = object;
    --s.size;
    size_.fetch_sub(1, std::memory_order_relaxed);
    if (removed_.fetch_add(1, std::memory_order_relaxed) == kMostRemoved) {
      wants_collection_->store(true, std::memory_order_relaxed);
    }
    return true;
  });
}

void SyncTable::remove(Address address, SyncFamily family) {
  remove_if(address, [family](SyncFamily found) { return found == family; });
}

bool SyncTable::remove_range(Address begin, Address end) {
  bool found = false;
  shadow_->take_objects(begin, end, [&](Address word) {
    found = true;
    unsigned gone = 0;
    for (Address a = word; a < word + kWordBytes; ++a) {
      if (a < begin || a >= end) continue;
      remove_if(a, [](SyncFamily family) { return family != SyncFamily::kSpin; });  // which is of whole granules
      gone |= 1u << (a - word);
    }
    const Address granule = word & ~(kGranuleBytes - 1);
    if (begin <= granule && granule + kGranuleBytes <= end) return remove(granule, SyncFamily::kSpin);
    // Others may lie in the rest of the word; and one that stays is of both words, and has both marks.
    constexpr unsigned kWholeWord = (1u << kWordBytes) - 1;
    const bool spun = find(granule, SyncFamily::kSpin) != nullptr;
    if (gone != kWholeWord || spun) shadow_->mark_object(word);
    if (spun) forget_spins(word > begin ? word : begin, word + kWordBytes < end ? word + kWordBytes : end);
  });
  return found;
}

void SyncTable::forget_spins(Address begin, Address end) {
  const Address granule = begin & ~(kGranuleBytes - 1);
  auto* object = find<SpinObject>(granule, SyncFamily::kSpin);
  if (object == nullptr) return;
  const SpinLock lock(object->mutex);
  const unsigned bytes = (1u << (end - begin)) - 1;
  object->spin.forget(*arena_, bytes << (begin - granule));
}

size_t SyncTable::bytes_of(SyncFamily family) {
  switch (family) {
    case SyncFamily::kLock:
      return sizeof(LockObject);
    case SyncFamily::kCondition:
      return sizeof(ConditionObject);
    case SyncFamily::kBarrier:
      return sizeof(BarrierObject);
    case SyncFamily::kSpin:
      return sizeof(SpinObject);
    default:
      return sizeof(AtomicObject);
  }
}

void SyncTable::clear(ConditionState& condition) {
  condition.all_signals.clear(*arena_);
  if (condition.bindings != nullptr) {
    condition.bindings->clear(*arena_);
    arena_->destroy(condition.bindings);
  }
  for (Thread* waiter = condition.waiters; waiter != nullptr;) {
    Thread* next = waiter->next_waiter;
    waiter->waiting_on = nullptr;
    waiter->next_waiter = nullptr;
    waiter = next;
  }
}

void SyncTable::clear(SyncObject& o) {
  switch (o.family) {
    case SyncFamily::kLock: {
      LockState& lock = static_cast<LockObject&>(o).lock;
      lock.exclusive.clear(*arena_);
      lock.shared.clear(*arena_);
      lock.for_each_section([&](LockedSection& section) {
        section.strong.clear(*arena_);
        arena_->destroy(&section);
      });
      break;
    }
    case SyncFamily::kCondition:
      clear(static_cast<ConditionObject&>(o).condition);
      break;
    case SyncFamily::kBarrier:
      if (BarrierGeneration* generation = static_cast<BarrierObject&>(o).barrier.current; generation != nullptr) {
        generation->closed = true;
        if (generation->members == 0) {
          generation->clocks.clear(*arena_);
          arena_->destroy(generation);
        }
      }
      break;
    case SyncFamily::kSpin:
      static_cast<SpinObject&>(o).spin.forget(*arena_, SpinClocks::kAllBytes);
      break;
    default:
      static_cast<AtomicObject&>(o).release_clock.clear(*arena_);
  }
}

void SyncTable::collect() {
  removed_.store(0, std::memory_order_relaxed);
  for (Shard& s : shards_) {
    for (SyncObject* o = s.removed; o != nullptr;) {
      SyncObject* next = o->next;
      clear(*o);
      arena_->release(o, bytes_of(o->family));
      o = next;
    }
    s.removed = nullptr;
    if (Table* table = s.table.load(std::memory_order_relaxed); table != nullptr) {
      for (Table* older = table->older; older != nullptr;) {
        Table* next = older->older;
        arena_->release(older->entries, older->count * sizeof(Entry));
        arena_->destroy(older);
        older = next;
      }
      table->older = nullptr;
    }
  }
}

}  // namespace norn
