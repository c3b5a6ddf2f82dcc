// What is handed over under a lock, as far as the shadow goes: which writes a read finds, and which reads a write takes
// from under others (core/order/handover.cc has what is made of it).
#include "core/shadow/shadow_store.h"

namespace norn {

// Whether the thread, reading what was written then, may have to heed it: only locks put it before.
static bool may_heed(const Thread& thread, AccessKind kind, Slot slot, ClockValue time) {
  return is_write(kind) && !is_of_life(kind) && !ordered_before(thread.clocks.strong, thread, slot, time) &&
         ordered_before(thread.clocks.full, thread, slot, time);
}

bool ShadowStore::has_writes_to_heed(const Thread& thread, const Granule& granule, HistoryId list,
                                     unsigned mask) const {
  for (const std::atomic<ShadowWord>& at : granule.words) {
    const ShadowWord word = at.load(std::memory_order_relaxed);
    if (word.touches(mask) && may_heed(thread, word.kind(), word.slot(), word.clock())) {
      return true;
    }
  }
  if (list == kUntouched) return false;
  if (is_owned(granule, list)) {
    bool found = false;
    owner_table_at(list).for_each([&](ShadowWord word) {
      found |= word.touches(mask) && may_heed(thread, word.kind(), word.slot(), word.clock());
    });
    return found;
  }
  const OverflowList listed = list_at(list);
  for (unsigned i = 0; i < listed.first_reads(); ++i) {
    const PastAccess past = listed.at(i);
    if ((past.mask & mask) != 0 && may_heed(thread, past.kind, past.slot, past.time)) return true;
  }
  return false;
}

// Under the granule's lock, before the read itself counts.
void ShadowStore::heed_writes(Thread& thread, const Granule& granule, HistoryId list, unsigned mask) {
  if (!has_writes_to_heed(thread, granule, list, mask)) return;
  AccessHistory history;
  read_granule(granule, list, history);
  for (unsigned i = 0; i < history.count; ++i) {
    const PastAccess& past = history.all[i];
    if (past.slot == thread.slot && past.time == thread.time) mask &= ~unsigned{past.mask};
  }
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    if ((mask >> byte & 1) == 0) continue;
    HybridEngine::signal(history, byte, [&](const PastAccess& write) {
      if (!locksets_.protects(thread.lockset, write.lockset)) return false;
      if (may_heed(thread, write.kind, write.slot, write.time)) heed(thread, write.slot, write.time);
      return true;
    });
  }
}

// The thread is about to write to a place for an address, under locks. If it has looked there before, in this segment,
// it may be taking out what is kept there: whoever read it before, under such a lock, would find something else after
// it. Under the granule's lock.
void ShadowStore::take_out(Thread& thread, const Granule& granule, HistoryId list, Address address) {
  AccessHistory history;
  read_granule(granule, list, history);
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block != nullptr) add_reads_in_table(*block, address, history);
  if (HybridEngine::accessed_in_segment(history, thread) != kWholeGranule) return;
  for (unsigned i = 0; i < history.count; ++i) {
    const PastAccess& read = history.all[i];
    if (read.kind != AccessKind::kRead || read.mask != kWholeGranule || read.slot == thread.slot) continue;
    take_out_after(thread, read.slot, read.time, read.lockset);
  }
}

void ShadowStore::heed_range(Thread& thread, Address address, uint64_t size) {
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    if (granule == nullptr) continue;
    const GranuleLock lock(*granule);
    heed_writes(thread, *granule, lock.list, mask_in(at, address, address + size));
  }
}

void ShadowStore::look(Thread& thread, Address address, uint64_t size) {
  if (!may_heed_now(thread) || (thread.ignoring & kIgnoreReads) != 0) return;
  const Inside inside(*this, thread);
  heed_range(thread, address, size);
}

}  // namespace norn
