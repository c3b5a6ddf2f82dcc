// What is handed over under a lock (order.md): who reads what another thread wrote, both under one lock, may do what it
// does next because of it. That order is no accident of who took the lock first, so it counts in both relations.
#include "core/order/relations.h"

namespace norn {

// A lock is given up. Where its holder went on to other times before that, they belong together.
void Relations::note_region(LockId lock, LockMode mode, Slot slot, ClockValue since, const Published& published) {
  if (!options_.handover || published.slot != slot || published.time <= since) return;
  Versions* versions = versions_[slot];
  if (versions == nullptr) return;
  const SpinLock guard(versions->mutex);
  versions->regions[versions->next_region] = {lock, mode, since, published.time};
  versions->next_region = (versions->next_region + 1) % Versions::kRegions;
}

// The last time of what was done at `time` under one of the thread's locks, from taking it to giving it up. (Of regions
// that are too long ago it is the time itself.)
ClockValue Relations::end_of_region(const Thread& thread, Slot slot, ClockValue time) {
  Versions* versions = __atomic_load_n(&versions_[slot], __ATOMIC_ACQUIRE);
  if (versions == nullptr) return time;
  const SpinLock lock(versions->mutex);
  // They were noted when they ended, so none of those before one that ended by then is looked for.
  for (unsigned k = 1; k <= Versions::kRegions; ++k) {
    const LockedRegion& region = versions->regions[(versions->next_region - k) % Versions::kRegions];
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
// much of it as came before in full (all, unless the lock was another one in between). Its own time goes on: shadow
// words of it say no more than they did.
void Relations::heed(Thread& thread, Slot slot, ClockValue time) {
  const ClockValue known = thread.clocks.full.get(slot);
  time = end_of_region(thread, slot, time);
  if (time > known) time = known;
  if (thread.version_kept) keep_version(thread);
  add_version(slot, time, false, thread.clocks);
  ++thread.knowledge;
  if (!thread.clocks.raise(arena_, slot, time)) no_memory_for_clocks();
  note_version(thread);
}

// The thread takes from under others, under its locks, what was read at that time under these (order.md, Taken out).
void Relations::take_out_after(Thread& thread, Slot slot, ClockValue time, LocksetId locks) {
  if (ordered_before(thread.clocks.strong, thread, slot, time)) return;
  if (!ordered_before(thread.clocks.full, thread, slot, time)) return;
  if (!locksets_.protects(thread.lockset, locks)) return;
  Thread::TakenOut* taken = nullptr;
  for (Thread::TakenOut& known : thread.taken_out) {
    if (known.locks == thread.lockset) taken = &known;
  }
  if (taken == nullptr) {
    taken = &thread.taken_out[thread.next_taken_out++ % Thread::kTakenOut];
    taken->before.clear(arena_);
    taken->locks = thread.lockset;
  }
  const ClockValue until = end_of_region(thread, slot, time);
  if (taken->before.get(slot) >= until) return;
  VectorClocks known;
  add_version(slot, until, false, known);
  if (!taken->before.join(arena_, known.strong) || !taken->before.raise(arena_, slot, until)) no_memory_for_clocks();
  known.clear(arena_);
}

// Whether the earlier access, to a block of the heap, was made under a lock under which the thread has taken out since
// what led there. (The block that has the lock itself is not what is kept under it.)
bool Relations::is_taken_out(const Thread& thread, const RacingPair& pair) {
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

}  // namespace norn
