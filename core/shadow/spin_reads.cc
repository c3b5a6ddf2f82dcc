// Spinning reads, as far as the shadow goes: bytes come to be in state spin, and whose writes they hold is looked up
// (core/order/spin_relation.cc has what is made of it).
#include "core/shadow/shadow_store.h"

namespace norn {

void ShadowStore::spin_read_granule(Thread& thread, Address at, unsigned mask, bool in_loop) {
  Granule* granule = prepare(at) ? shadow_.granule(at) : nullptr;
  if (granule == nullptr) return no_memory_for_shadow();
  auto* object = object_of<SpinObject>(thread, at, SyncFamily::kSpin);
  if (object == nullptr) return no_memory_for_clocks();
  // Whoever sets a flag fills the object before anyone else can lock it: a writer that sees the flag comes after.
  const SpinLock lock(object->mutex);
  SpinClocks& release_clocks = object->spin;
  const bool machine = is_state_machine(options_.engine);
  AccessHistory history;
  HistoryId before[kGranuleBytes / kWordBytes] = {};
  unsigned fresh = 0;
  if (machine) {
    for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
      const unsigned shift = word * kWordBytes;
      const unsigned bytes = mask >> shift & kInSpin;
      if (bytes == 0) continue;
      fresh |= begin_spinning_word(thread, granule->cells[word], at + shift, bytes, before[word]) << shift;
    }
  } else {
    fresh = begin_spinning(thread, *granule, at, mask, history);
  }
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    if ((fresh >> byte & 1) == 0) continue;
    VectorClocks found;
    bool complete = false;
    if (machine) {
      MsmEngine::signal(histories_, threadsets_, before[byte / kWordBytes], byte % kWordBytes,
                        [&](Slot slot, ClockValue time) {
                          add_counterpart(slot, time, found);
                          complete = true;
                        });
    } else {
      HybridEngine::signal(history, byte, [&](const PastAccess& s) {
        add_counterpart(s.slot, s.time, found);
        complete = (s.adds >> byte & 1) == 0;
        return true;
      });
    }
    if (!complete && writes_forgotten_.load(std::memory_order_relaxed)) add_all(thread, found);
    if (!release_clocks.assign(arena_, 1u << byte, found)) no_memory_for_clocks();
    found.clear(arena_);
  }
  if (fresh != 0) release_clocks.unite(arena_);
  if (!in_loop && !release_clocks.collect(arena_, mask, thread.spun)) no_memory_for_clocks();
}

void ShadowStore::spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop) {
  if (!options_.spin) return read(thread, address, size, where);
  const Inside inside(*this, thread);
  ++thread.accesses;
  if (thread.recording) record(thread, AccessKind::kRead, address, size);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  // Of bytes that the thread has read at its present epoch nothing is to be heeded any more: the condition of a loop
  // around a wait was read as any other data a moment ago.
  if (may_heed_now(thread) && !is_known(thread, AccessKind::kRead, address, size)) heed_range(thread, address, size);
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    spin_read_granule(thread, at, mask_in(at, address, address + size), in_loop);
  }
  note_bytes(thread, address, size);
}

void ShadowStore::find_unordered_writes(Thread& thread, AccessKind kind, Address address, uint64_t size, StackId where,
                                        void (*visit)(const RacingPair& pair)) {
  if (is_state_machine(options_.engine) || is_blind()) return;
  const Inside inside(*this, thread);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  if (thread.unsettled != 0) settle_lockset(thread);
  FoundRaces races;
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    if (granule == nullptr) continue;
    const WordAccess access = {kind, mask_in(at, address, address + size), where, at, false};
    AccessHistory history;
    {
      const GranuleLock lock(*granule);
      read_granule(*granule, lock.list, history);
    }
    for (unsigned i = 0; i < history.count; ++i) {
      const PastAccess& s = history.all[i];
      const auto common = static_cast<uint8_t>(s.mask & access.mask);
      if (common == 0 || s.kind == AccessKind::kFree || !conflicts(kind, s.kind)) continue;
      if (ordered_before(thread.clocks.full, thread, s.slot, s.time)) continue;
      RacingPair* pair = races.add();
      if (pair == nullptr) break;
      pair->standing = Standing::kObserved;
      const StackId written = context_.per_byte->at(s.where, static_cast<unsigned>(__builtin_ctz(common)));
      describe_pair(context_, *pair, thread, access, common, s.kind, s.slot, s.time, s.lockset, written);
    }
  }
  for (unsigned i = 0; i < races.count; ++i) {
    const RacingPair& pair = races.pairs[i];
    if (is_wanted(pair)) visit(pair);
  }
}

bool ShadowStore::may_be_written_plainly(Thread& thread, Address address, uint64_t size) {
  if (is_state_machine(options_.engine) || is_blind() || writes_forgotten_.load(std::memory_order_relaxed)) return true;
  const Inside inside(*this, thread);
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    if (granule == nullptr) continue;
    const unsigned mask = mask_in(at, address, address + size);
    AccessHistory history;
    {
      const GranuleLock lock(*granule);
      read_granule(*granule, lock.list, history);
    }
    for (unsigned i = 0; i < history.count; ++i) {
      const PastAccess& s = history.all[i];
      if ((s.mask & mask) == 0 || s.kind != AccessKind::kWrite) continue;
      if (!ordered_before(thread.clocks.full, thread, s.slot, s.time)) return true;
    }
  }
  return false;
}

}  // namespace norn
