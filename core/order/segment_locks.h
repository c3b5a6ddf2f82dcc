// Which locks were held when a shadow word was made: a shadow word in a granule has no room for its lockset, but for a
// byte beside it.
//
// The first locksets of a program have numbers that fit. The rest are known by time: within one time of a slot the
// locks do not change (note_segment), so they are noted once for each time that has shadow words.
#pragma once

#include "core/order/lockset.h"
#include "core/shadow/granule_layout.h"
#include "core/shadow/shadow_word.h"
#include "core/storage/arena.h"

namespace norn {

class SegmentLocks {
 public:
  static constexpr LocksCode kOfItsTime = 255;

  bool init(Arena& arena);

  // Before the first shadow word of this time: what its shadow words will carry. False if the arena is used up. The
  // slot's thread.
  [[nodiscard]] bool note(Slot slot, ClockValue time, LocksetId locks, LocksCode& code);
  // Whether the lockset has a number already, and which.
  [[nodiscard]] bool has_number(LocksetId locks, LocksCode& code) const;
  // Whoever has seen a shadow word of this time with this code.
  [[nodiscard]] LocksetId at(Slot slot, ClockValue time, LocksCode code) const {
    if (code != kOfItsTime) return numbered_[code];
    const Chunk* chunk = find(slot, time);
    return chunk == nullptr ? kNoLocks : chunk->locks[time % kTimes];
  }

  // --- a collection: some shadow word, or the shadow words of a thread that are still to come, have this time and code
  void mark(Slot slot, ClockValue time, LocksCode code) {
    used_[code] = true;
    if (code != kOfItsTime) return;
    Chunk* chunk = find(slot, time);
    if (chunk != nullptr && chunk->locks[time % kTimes] != kNoLocks) chunk->locks[time % kTimes] |= kMarked;
  }
  // Forgets what was not marked, and calls keep(lockset) for the rest, which may change it.
  template <class Keep>
  void end_collection(Keep keep) {
    for (unsigned code = 1; code < kOfItsTime; ++code) {
      if (used_[code]) keep(numbered_[code]);
    }
    number_again();
    for (unsigned slot = 0; slot < ShadowWord::kSlots; ++slot) {
      if (slots_[slot] == nullptr) continue;
      for (unsigned i = 0; i < kChunks; ++i) {
        if (Chunk* chunk = slots_[slot]->chunks[i]; chunk != nullptr) rewrite(slots_[slot]->chunks[i], *chunk, keep);
      }
    }
  }

 private:
  static constexpr unsigned kTimes = 1024;
  static constexpr unsigned kChunks = (1u << ShadowWord::kClockBits) / kTimes;
  static constexpr LocksetId kMarked = 1u << 31;
  struct Chunk {
    LocksetId locks[kTimes];
  };
  struct Directory {
    Chunk* chunks[kChunks];
  };
  static constexpr unsigned kPlacesBits = 10;
  static constexpr unsigned kPlaces = 1u << kPlacesBits;

  static unsigned place_of(LocksetId locks);
  // The number of a lockset; kOfItsTime if it has none and there is none left.
  LocksCode number_of(LocksetId locks);
  void put(LocksetId locks, LocksCode code);
  void number_again();
  bool note_time(Slot slot, ClockValue time, LocksetId locks);
  [[nodiscard]] Chunk* find(Slot slot, ClockValue time) const {
    const Directory* directory = __atomic_load_n(&slots_[slot], __ATOMIC_ACQUIRE);
    return directory == nullptr ? nullptr : __atomic_load_n(&directory->chunks[time / kTimes], __ATOMIC_ACQUIRE);
  }
  template <class Keep>
  void rewrite(Chunk*& place, Chunk& chunk, Keep keep) {
    bool used = false;
    for (LocksetId& locks : chunk.locks) {
      if ((locks & kMarked) == 0) {
        locks = kNoLocks;
        continue;
      }
      locks &= ~kMarked;
      keep(locks);
      used = true;
    }
    if (used) return;
    arena_->release(&chunk, sizeof chunk);
    place = nullptr;
  }

  Arena* arena_ = nullptr;
  Directory** slots_ = nullptr;
  LocksetId numbered_[256] = {};
  bool used_[256] = {};                         // in a collection
  std::atomic<bool> used_up_{false};            // no number is left, until a collection
  SpinMutex mutex_;                             // for who adds to the two
  std::atomic<LocksCode> codes_[kPlaces] = {};  // by place_of(), and what follows
};

}  // namespace norn
