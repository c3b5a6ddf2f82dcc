// Synchronization objects: what a lock, an atomic, a condition variable, … remembers for whoever comes next.
//
// An object is found by its address and family, so that an annotation on a mutex' address is not the mutex.
// A table finds it, in shards with a spin lock each for who adds and removes; who only looks takes none. An object has
// a lock of its own, held only while clocks move (core/order/lock_events.cc says who does without). Objects whose
// memory went away are taken out at once and reused only after a collection, when nobody can be holding a pointer to
// one; so are tables that became too small.
#pragma once

#include "core/event.h"
#include "core/order/bindings.h"
#include "core/order/clock.h"
#include "core/order/lockset.h"
#include "core/order/thread.h"
#include "core/shadow/shadow.h"

namespace norn {

enum class SyncFamily : uint8_t { kLock, kAtomic, kCondition, kBarrier, kSemaphore, kOnce, kAnnotation, kSpin };

struct BarrierGeneration {
  SpinMutex mutex;  // after the barrier's own, where both are needed
  VectorClocks clocks;
  uint32_t entered = 0;
  uint32_t members = 0;  // threads that will still leave it
  bool closed = false;   // nobody enters it any more: the barrier does not point to it
};

struct ConditionState {
  VectorClocks all_signals;   // the fall-back segment of the documents
  uint64_t signals = 0;       // how many there were
  Address mutex = 0;          // that the last wait was given
  Thread* waiters = nullptr;  // threads in a wait, linked by next_waiter
  Bindings* bindings = nullptr;
};

// What a thread knew strongly when it gave up a lock, and since when it had had it. Only of sections in which times
// passed: of others, whoever knows anything of them strongly knows all.
struct LockedSection {
  LockedSection* next = nullptr;  // the oldest comes after the newest
  Slot slot = 0;
  ClockValue since = 0;
  LockMode mode{};
  VectorClock strong;
};

struct LockState {
  VectorClock exclusive;  // of the last exclusive release
  VectorClock shared;     // of the shared releases since
  LockId lock = 0;
  static constexpr unsigned kSections = 8;
  LockedSection* sections =
      nullptr;  // the newest of the last kSections, each made when first needed; under the object's lock
  unsigned section_count = 0;
  // Calls visit(section) for each; under the object's lock.
  template <class Visit>
  void for_each_section(Visit visit) const {
    LockedSection* section = sections;
    for (unsigned i = 0; i < section_count; ++i) {
      LockedSection* next = section->next;
      visit(*section);
      section = next;
    }
  }
  std::atomic<uint64_t> shares{0};  // shared releases, where accesses are sampled
  // Who took it exclusively last, and the time from which on it had it; 0: nobody. Any thread.
  std::atomic<uint64_t> taken{0};
  static uint64_t taken_by(Slot slot, ClockValue at) { return uint64_t{at} << 32 | uint64_t{slot} << 1 | 1; }
  static Slot taker(uint64_t taken) { return static_cast<Slot>(taken >> 1); }
  static ClockValue taken_at(uint64_t taken) { return static_cast<ClockValue>(taken >> 32); }
};

// What those who wait for bytes of a granule will be ordered after: bytes with the same release clock together,
// disjoint.
class SpinClocks {
 public:
  static constexpr unsigned kAllBytes = (1u << kGranuleBytes) - 1;

  // Of the bytes of `mask`: what follows replaces what was there, or adds to it. False: no memory.
  bool assign(Arena& arena, unsigned mask, const VectorClocks& clocks);
  bool join(Arena& arena, unsigned mask, const VectorClocks& clocks);
  void forget(Arena& arena, unsigned mask);
  // Puts bytes together that have the same release clock by now: each change of them takes one step again instead of
  // one for each byte.
  void unite(Arena& arena);
  // Adds to `clocks` what the bytes of `mask` hold.
  bool collect(Arena& arena, unsigned mask, VectorClocks& clocks) const;
  // How many release clocks there are, for the tests.
  [[nodiscard]] unsigned count() const;

 private:
  static constexpr unsigned kParts = kGranuleBytes;
  [[nodiscard]] unsigned unused() const;

  // Side by side, so that who looks for a part touches no other's clocks.
  uint8_t masks_[kParts] = {};  // 0: not in use
  VectorClocks clocks_[kParts];
};

struct BarrierState {
  BarrierGeneration* current = nullptr;
  uint32_t count = 0;  // threads a generation; 0: unknown
};

// What all have. Each family has a struct of its own with the rest, which is under `mutex`: there are programs with
// hundreds of thousands of atomics.
struct SyncObject {
  SyncObject* next = nullptr;  // of those that are gone; under the shard's lock
  Address address = 0;
  SyncFamily family{};
  uint8_t size = 0;               // kAtomic: of the last write; under `mutex`
  std::atomic<bool> gone{false};  // it is not found any more
  SpinMutex mutex;
  // kAtomic: changes of the release clock; kLock: exclusive releases. Written under `mutex`.
  std::atomic<uint64_t> version{0};

  [[nodiscard]] uint64_t present() const { return version.load(std::memory_order_relaxed); }
  uint64_t advance() {
    const uint64_t advanced = present() + 1;
    version.store(advanced, std::memory_order_relaxed);
    return advanced;
  }
  // Of an atomic, by who has just loaded its value without the lock: whether that value came with this version. Whoever
  // writes has the lock until the version is the new one; so if the value is one that was written later than that
  // version, the lock is still taken, or the version is another.
  [[nodiscard]] bool stood_at(uint64_t known) const { return !mutex.is_locked() && present() == known; }
};

struct AtomicObject : SyncObject {  // kAtomic, kSemaphore, kOnce, kAnnotation
  VectorClocks release_clock;
  bool waited_for = false;  // kAtomic: a loop was left by it: all writes release (core/order/unsampled.cc)
};

struct SpinObject : SyncObject {  // of a whole granule, whose address it has
  SpinClocks spin;
};

struct LockObject : SyncObject {
  LockState lock;
};

struct BarrierObject : SyncObject {
  BarrierState barrier;
};

struct ConditionObject : SyncObject {
  ConditionState condition;
};

class SyncTable {
 public:
  // `wants_collection` is set when much is removed that only a collection can take back.
  bool init(Arena& arena, Shadow& shadow, std::atomic<bool>& wants_collection);

  // The struct of the family. Makes it if it is not there; null if the arena is used up. Any thread, inside the core.
  template <class Object>
  [[nodiscard]] Object* get(Address address, SyncFamily family) {
    return static_cast<Object*>(get(address, family));
  }
  template <class Object>
  [[nodiscard]] Object* find(Address address, SyncFamily family) {
    return static_cast<Object*>(find(address, family));
  }
  [[nodiscard]] SyncObject* get(Address address, SyncFamily family);
  [[nodiscard]] SyncObject* find(Address address, SyncFamily family);

  // The object has no past any more.
  void remove(Address address, SyncFamily family);
  // The same of what is waited for in [begin, end), which lies in one granule.
  void forget_spins(Address begin, Address end);
  bool remove_range(Address begin, Address end);  // whether there was one

  // In a collection: the removed objects can be reused now.
  void collect();
  [[nodiscard]] size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr unsigned kShards = 64;
  // By open addressing, one entry after the other. An entry's key is written after its object; the object of one that
  // is given to another key meanwhile has another address, for which who looks looks as well.
  struct Entry {
    std::atomic<uint64_t> key;
    std::atomic<SyncObject*> object;
  };
  static constexpr uint64_t kUnused = 0;   // nothing is found behind it
  static constexpr uint64_t kRemoved = 1;  // may be used again
  struct Table {
    Table* older;  // that it took the place of
    size_t count;  // of entries; a power of two
    Entry* entries;
  };
  struct Shard {
    SpinMutex mutex;
    std::atomic<Table*> table{nullptr};
    // Under the lock:
    size_t size = 0;
    size_t filled = 0;  // entries that are not unused
    SyncObject* removed = nullptr;
  };

  static uint64_t hash(Address address);
  static constexpr uint64_t kAddressBits = (uint64_t{1} << 56) - 1;
  // Never kUnused or kRemoved: the highest byte is not 0.
  static uint64_t key_of(Address address, SyncFamily family) {
    return address | (static_cast<uint64_t>(family) + 1) << 56;
  }
  Shard& shard(uint64_t hash) { return shards_[hash % kShards]; }
  static size_t place_of(const Table& table, uint64_t hash) { return hash / kShards & (table.count - 1); }
  static SyncObject* find_in(const Shard& shard, uint64_t hash, Address address, SyncFamily family);
  static bool put(Table& table, uint64_t hash, uint64_t key, SyncObject* object);
  Table* make_table(size_t count, Table* older);
  bool make_room(Shard& shard);
  template <class IsMeant>
  void remove_if(Address address, IsMeant is_meant);
  static size_t bytes_of(SyncFamily family);
  void clear(SyncObject& object);
  void clear(ConditionState& condition);

  Arena* arena_ = nullptr;
  Shadow* shadow_ = nullptr;
  Shard shards_[kShards];
  std::atomic<size_t> size_{0};
  static constexpr size_t kMostRemoved = 1 << 14;
  std::atomic<size_t> removed_{0};
  std::atomic<bool>* wants_collection_ = nullptr;
};

}  // namespace norn
