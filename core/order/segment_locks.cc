#include "core/order/segment_locks.h"

#include "base/hash.h"

namespace norn {

bool SegmentLocks::init(Arena& arena) {
  arena_ = &arena;
  slots_ = static_cast<Directory**>(arena.allocate_zeroed(ShadowWord::kSlots * sizeof(Directory*)));
  return slots_ != nullptr;
}

unsigned SegmentLocks::place_of(LocksetId locks) { return hash_half(locks) >> (32 - kPlacesBits); }

void SegmentLocks::put(LocksetId locks, LocksCode code) {
  unsigned place = place_of(locks);
  while (codes_[place].load(std::memory_order_relaxed) != 0) place = (place + 1) % kPlaces;
  codes_[place].store(code, std::memory_order_release);
}

LocksCode SegmentLocks::number_of(LocksetId locks) {
  for (unsigned place = place_of(locks);; place = (place + 1) % kPlaces) {
    LocksCode code = codes_[place].load(std::memory_order_acquire);
    if (code != 0 && numbered_[code] == locks) return code;
    if (code != 0) continue;
    if (used_up_.load(std::memory_order_relaxed)) return kOfItsTime;
    const SpinLock lock(mutex_);
    if (codes_[place].load(std::memory_order_acquire) != 0) {
      place = (place + kPlaces - 1) % kPlaces;  // somebody was faster: look again
      continue;
    }
    code = 1;
    while (code < kOfItsTime && numbered_[code] != kNoLocks) ++code;
    if (code == kOfItsTime) {
      used_up_.store(true, std::memory_order_relaxed);
      return kOfItsTime;
    }
    numbered_[code] = locks;
    codes_[place].store(code, std::memory_order_release);
    return code;
  }
}

bool SegmentLocks::has_number(LocksetId locks, LocksCode& code) const {
  code = 0;
  if (locks == kNoLocks) return true;
  for (unsigned place = place_of(locks);; place = (place + 1) % kPlaces) {
    code = codes_[place].load(std::memory_order_acquire);
    if (code == 0 || numbered_[code] == locks) return code != 0;
  }
}

void SegmentLocks::number_again() {
  for (std::atomic<LocksCode>& code : codes_) code.store(0, std::memory_order_relaxed);
  for (unsigned code = 1; code < kOfItsTime; ++code) {
    if (!used_[code]) numbered_[code] = kNoLocks;
    if (numbered_[code] != kNoLocks) put(numbered_[code], static_cast<LocksCode>(code));
  }
  for (bool& used : used_) used = false;
  used_up_.store(false, std::memory_order_relaxed);
}

bool SegmentLocks::note_time(Slot slot, ClockValue time, LocksetId locks) {
  if (slots_[slot] == nullptr) {
    auto* made = arena_->create<Directory>();
    if (made == nullptr) return false;
    __atomic_store_n(&slots_[slot], made, __ATOMIC_RELEASE);
  }
  Chunk*& chunk = slots_[slot]->chunks[time / kTimes];
  if (chunk == nullptr) {
    auto* made = arena_->create<Chunk>();
    if (made == nullptr) return false;
    __atomic_store_n(&chunk, made, __ATOMIC_RELEASE);
  }
  chunk->locks[time % kTimes] = locks;
  return true;
}

bool SegmentLocks::note(Slot slot, ClockValue time, LocksetId locks, LocksCode& code) {
  code = locks == kNoLocks ? LocksCode{0} : number_of(locks);
  return code != kOfItsTime || note_time(slot, time, locks);
}

}  // namespace norn
