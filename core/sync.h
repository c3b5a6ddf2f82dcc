// Synchronization objects: what a lock, an atomic, a condition variable, … remembers for whoever comes next.
//
// An object is found by its address and family, so that an annotation on a mutex' address is not the mutex.
// Lookups go through shards with a spin lock each; an object has a lock of its own, held only while clocks move.
// Objects whose memory went away are unlinked at once and reused only after a collection, when nobody can be
// holding a pointer to one.
#pragma once

#include "core/clock.h"
#include "core/event.h"
#include "core/lockset.h"
#include "core/shadow.h"
#include "core/thread.h"

namespace norn {

enum class SyncFamily : uint8_t { kLock, kAtomic, kCondition, kBarrier, kSemaphore, kOnce, kAnnotation, kSpin };

struct BarrierGeneration {
  SpinMutex mutex;  // after the barrier's own, where both are needed
  Clocks clocks;
  uint32_t entered = 0;
  uint32_t members = 0;  // threads that will still leave it
  bool closed = false;   // nobody enters it any more: the barrier does not point to it
};

// The write/read relation of one condition variable: bytes and the releases they are bound to, oldest first. A byte
// belongs to the newest binding that has it.
struct Bindings {
  static constexpr unsigned kMax = 64;
  struct Binding {
    Bytes bytes;
    Clocks clocks;
  };
  unsigned count = 0;
  Binding* order[kMax];
};

struct ConditionState {
  Clocks all_signals;         // the fall-back segment of the documents
  uint64_t signals = 0;       // how many there were
  Address mutex = 0;          // that the last wait was given
  Thread* waiters = nullptr;  // threads in a wait, linked by next_waiter
  Bindings* bindings = nullptr;
};

struct LockState {
  Clock exclusive;  // of the last exclusive release
  Clock shared;     // of the shared releases since
  LockId lock = 0;
  // Who took it exclusively last, and the time from which on it had it.
  bool was_taken = false;
  Slot taker = 0;
  Time taken_at = 0;
};

// What those who wait for bytes of a word will be ordered after: bytes with the same message together, disjoint.
inline constexpr unsigned kAllBytes = (1u << kWordBytes) - 1;
class SpinMessages {
 public:
  // Of the bytes of `mask`: what follows replaces what was there, or adds to it. False: no memory.
  bool assign(Arena& arena, unsigned mask, const Clocks& clocks);
  bool join(Arena& arena, unsigned mask, const Clocks& clocks);
  void forget(Arena& arena, unsigned mask);
  // Adds to `clocks` what the bytes of `mask` hold.
  bool collect(Arena& arena, unsigned mask, Clocks& clocks) const;

 private:
  struct Part {
    unsigned mask = 0;  // 0: not in use
    Clocks clocks;
  };
  [[nodiscard]] Part& unused();

  Part parts_[kWordBytes];
};

struct BarrierState {
  BarrierGeneration* current = nullptr;
  uint32_t count = 0;  // threads a generation; 0: unknown
};

struct SyncObject {
  SyncObject* next = nullptr;  // in the shard's bucket; under the shard's lock
  Address address = 0;
  SyncFamily family{};
  uint8_t size = 0;               // kAtomic: of the last write; under `mutex`
  std::atomic<bool> gone{false};  // it is not found any more
  SpinMutex mutex;
  // By family, under `mutex`:
  uint64_t version = 1;          // kAtomic: changes of the message; kLock: exclusive releases
  Clocks message;                // kAtomic, kSemaphore, kOnce, kAnnotation
  SpinMessages* spin = nullptr;  // kSpin; made when first needed
  LockState lock;                // kLock
  BarrierState barrier;          // kBarrier
  ConditionState condition;      // kCondition
};

class SyncTable {
 public:
  bool init(Arena& arena, Shadow& shadow);

  // Makes it if it is not there. Null if the arena is used up. Any thread; short spin lock on the shard.
  [[nodiscard]] SyncObject* get(Address address, SyncFamily family);
  [[nodiscard]] SyncObject* find(Address address, SyncFamily family);

  // The object has no past any more.
  void remove(Address address, SyncFamily family);
  void remove_range(Address begin, Address end);

  // In a collection: the removed objects can be reused now. Calls visit(object) for each that lives.
  template <class Visit>
  void collect(Visit visit) {
    reuse_removed();
    for (unsigned s = 0; s < kShards; ++s) {
      for (size_t b = 0; b < shards_[s].bucket_count; ++b) {
        for (SyncObject* o = shards_[s].buckets[b]; o != nullptr; o = o->next) visit(*o);
      }
    }
  }
  [[nodiscard]] size_t size() const { return size_.load(std::memory_order_relaxed); }

  void clear(SyncObject& object);

 private:
  static constexpr unsigned kShards = 64;
  struct Shard {
    SpinMutex mutex;
    SyncObject** buckets = nullptr;
    size_t bucket_count = 0;
    size_t size = 0;
    SyncObject* removed = nullptr;
  };

  static uint64_t hash(Address address);
  void remove_if(Address address, int family);  // negative: of any family but kSpin, which is of whole words
  Shard& shard(uint64_t hash) { return shards_[hash % kShards]; }
  bool grow(Shard& shard);
  void reuse_removed();

  Arena* arena_ = nullptr;
  Shadow* shadow_ = nullptr;
  Shard shards_[kShards];
  std::atomic<size_t> size_{0};
};

}  // namespace norn
