// What is handed over under a lock (order.md): who reads what another thread wrote, both under one lock, may do what it
// does next because of it. That order is no accident of who took the lock first, so it counts in both relations.
#include "core/detector.h"

namespace norn {

// A lock is given up. Where its holder went on to other times before that, they belong together.
void Detector::note_region(LockId lock, LockMode mode, Slot slot, Time since, const Published& published) {
  if (!options_.handover || published.slot != slot || published.time <= since) return;
  Versions* versions = versions_[slot];
  if (versions == nullptr) return;
  const SpinLock guard(versions->mutex);
  versions->regions[versions->next_region] = {lock, mode, since, published.time};
  versions->next_region = (versions->next_region + 1) % Versions::kRegions;
}

// The last time of what was done at `time` under one of the thread's locks, from taking it to giving it up. (Of regions
// that are too long ago it is the time itself.)
Time Detector::end_of_region(const Thread& thread, Slot slot, Time time) {
  Versions* versions = __atomic_load_n(&versions_[slot], __ATOMIC_ACQUIRE);
  if (versions == nullptr) return time;
  const SpinLock lock(versions->mutex);
  // They were noted when they ended, so none of those before one that ended by then is looked for.
  for (unsigned k = 1; k <= Versions::kRegions; ++k) {
    const Region& region = versions->regions[(versions->next_region - k) % Versions::kRegions];
    if (region.until <= time) break;
    if (region.since > time) continue;
    for (unsigned i = 0; i < thread.held_count; ++i) {
      const Held& held = thread.held[i];
      const bool excludes = held.mode == LockMode::kExclusive || region.mode == LockMode::kExclusive;
      if (held.lock == region.lock && excludes) return region.until;
    }
  }
  return time;
}

// What the thread knows grows by what another knew and did until it gave up the lock under which it wrote at `time`: as
// much of it as came before in full (all, unless the lock was another one in between). Its own time goes on: stamps of
// it say no more than they did.
void Detector::heed(Thread& thread, Slot slot, Time time) {
  const Time known = thread.clocks.full.get(slot);
  time = end_of_region(thread, slot, time);
  if (time > known) time = known;
  if (thread.version_kept) keep_version(thread);
  add_version(slot, time, false, thread.clocks);
  ++thread.knowledge;
  if (!thread.clocks.raise(arena_, slot, time)) no_memory_for_clocks();
  note_version(thread);
}

// Whether the thread, reading what was written then, may have to heed it: only locks put it before.
static bool may_heed(const Thread& thread, AccessKind kind, Slot slot, Time time) {
  return is_write(kind) && !is_of_life(kind) && !ordered_before(thread.clocks.strong, thread, slot, time) &&
         ordered_before(thread.clocks.full, thread, slot, time);
}

bool Detector::has_writes_to_heed(const Thread& thread, const Granule& granule, HistoryId list, unsigned mask) const {
  for (const std::atomic<ShadowWord>& at : granule.words) {
    const ShadowWord word = at.load(std::memory_order_relaxed);
    if (word.touches(mask) && may_heed(thread, word.kind(), word.slot(), word.clock())) {
      return true;
    }
  }
  if (list == kUntouched) return false;
  const OverflowList listed = list_at(list);
  for (unsigned i = 0; i < listed.first_reads(); ++i) {
    const PastAccess stamp = listed.at(i);
    if ((stamp.mask & mask) != 0 && may_heed(thread, stamp.kind, stamp.slot, stamp.time)) return true;
  }
  return false;
}

// Under the granule's lock, before the read itself counts.
void Detector::heed_writes(Thread& thread, const Granule& granule, HistoryId list, unsigned mask) {
  if (!has_writes_to_heed(thread, granule, list, mask)) return;
  AccessHistory stamps;
  read_granule(granule, list, stamps);
  for (unsigned i = 0; i < stamps.count; ++i) {
    const PastAccess& stamp = stamps.all[i];
    if (stamp.slot == thread.slot && stamp.time == thread.time) mask &= ~unsigned{stamp.mask};
  }
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    if ((mask >> byte & 1) == 0) continue;
    HybridEngine::signal(stamps, byte, [&](const PastAccess& write) {
      if (!locksets_.protects(thread.lockset, write.lockset)) return false;
      if (may_heed(thread, write.kind, write.slot, write.time)) heed(thread, write.slot, write.time);
      return true;
    });
  }
}

// The thread is about to write to a place for an address, under locks. If it has looked there before, in this segment,
// it may be taking out what is kept there: whoever read it before, under such a lock, would find something else after
// it. Under the granule's lock.
void Detector::take_out(Thread& thread, const Granule& granule, HistoryId list, Address address) {
  AccessHistory stamps;
  read_granule(granule, list, stamps);
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block != nullptr) add_reads_in_table(*block, address, stamps);
  if (HybridEngine::accessed_in_segment(stamps, thread) != kWholeGranule) return;
  auto come_before = [&](const PastAccess& read) {
    if (read.kind != AccessKind::kRead || read.mask != kWholeGranule || read.slot == thread.slot) return;
    if (ordered_before(thread.clocks.strong, thread, read.slot, read.time)) return;
    if (!ordered_before(thread.clocks.full, thread, read.slot, read.time)) return;
    if (!locksets_.protects(thread.lockset, read.lockset)) return;
    Thread::TakenOut* taken = nullptr;
    for (Thread::TakenOut& known : thread.taken_out) {
      if (known.locks == thread.lockset) taken = &known;
    }
    if (taken == nullptr) {
      taken = &thread.taken_out[thread.next_taken_out++ % Thread::kTakenOut];
      taken->before.clear(arena_);
      taken->locks = thread.lockset;
    }
    const Time until = end_of_region(thread, read.slot, read.time);
    if (taken->before.get(read.slot) >= until) return;
    Clocks known;
    add_version(read.slot, until, false, known);
    if (!taken->before.join(arena_, known.strong) || !taken->before.raise(arena_, read.slot, until)) {
      no_memory_for_clocks();
    }
    known.clear(arena_);
  };
  for (unsigned i = 0; i < stamps.count; ++i) come_before(stamps.all[i]);
}

// Whether the earlier access, to a block of the heap, was made under a lock under which the thread has taken out since
// what led there. (The block that has the lock itself is not what is kept under it.)
bool Detector::is_taken_out(const Thread& thread, const RacingPair& pair) {
  if (!options_.handover || listener_.block == nullptr) return false;
  for (const Thread::TakenOut& taken : thread.taken_out) {
    if (taken.locks == kNoLocks || taken.before.get(pair.earlier_at.slot) < pair.earlier_at.time) continue;
    if (!locksets_.protects(taken.locks, pair.earlier.lockset)) continue;
    Address begin = 0, end = 0;
    if (!listener_.block(listener_.context, pair.address, begin, end)) return false;
    bool apart = true;
    for (unsigned i = 0; i < locksets_.size(taken.locks); ++i) {
      const LockInfo* info = lock_info(locksets_.lock_at(taken.locks, i));
      apart = apart && (info == nullptr || info->address < begin || info->address >= end);
    }
    if (apart) return true;
  }
  return false;
}

void Detector::heed_range(Thread& thread, Address address, uint64_t size) {
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    if (granule == nullptr) continue;
    const GranuleLock lock(*granule);
    heed_writes(thread, *granule, lock.list, mask_in(at, address, address + size));
  }
}

void Detector::look(Thread& thread, Address address, uint64_t size) {
  if (!may_heed_now(thread) || (thread.ignoring & kIgnoreReads) != 0) return;
  const Inside inside(*this, thread);
  heed_range(thread, address, size);
}

}  // namespace norn
