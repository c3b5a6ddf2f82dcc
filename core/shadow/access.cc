// Memory: accesses and atomics.
#include "core/shadow/atomic_step.h"
#include "core/shadow/shadow_store.h"

namespace norn {

void ShadowStore::access_shadow(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                                bool has_release_clock) {
  if (!is_state_machine(options_.engine)) {
    return access_granule(thread, granule, access, signals,
                          has_release_clock ? GranuleFlags::release_clocks(access.mask) : 0);
  }
  for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
    WordAccess part = access;
    part.mask = static_cast<uint8_t>(access.mask >> word * kWordBytes & 0xf);
    part.word += word * kWordBytes;
    if (part.mask != 0)
      access_word(thread, granule.cells[word], part, signals, has_release_clock ? kHasReleaseClock : 0);
  }
}

// All are remembered before any is signalled: who waited for one of the bytes is ordered after the whole access.
void ShadowStore::access_from(Thread& thread, AccessKind kind, Address begin, Address end, StackId where,
                              bool increments) {
  if ((thread.ignoring & (is_write(kind) ? kIgnoreWrites : kIgnoreReads)) != 0) return;
  SpinSignals signals;
  // Whatever of it is handed over is, before any of it is judged.
  bool heeded = is_write(kind) || increments || !may_heed_now(thread);
  // A long range lets collections in between.
  constexpr Address kStride = 1024 * kGranuleBytes;
  for (Address at = begin & ~(kGranuleBytes - 1); at < end;) {
    const Inside inside(*this, thread);
    heed_tick_request(thread);
    for (const Address stop = at + kStride < end ? at + kStride : end; at < stop;) {
      at = renew_span(thread, kind, at, begin, stop, where, increments);
      if (at >= stop) break;
      if (!heeded) {
        const Address from = at > begin ? at : begin;
        heed_range(thread, from, end - from);
        heeded = true;
      }
      Granule* granule = shadow_.granule(at);
      if (granule == nullptr) return no_memory_for_shadow();
      access_shadow(thread, *granule, {kind, mask_in(at, begin, end), where, at, increments}, signals, false);
      at += kGranuleBytes;
    }
  }
  if (signals.count == 0) return;
  const Inside inside(*this, thread);
  send(thread, signals);
}

// --- atomics -----------------------------------------------------------------------------------------------------

// AtomicStep::renew(), of a granule that has nothing in its list, or (for a read) none. The thread is inside.
template <AccessKind Kind>
bool ShadowStore::renew_atomic(Thread& thread, Granule& granule, Address address, unsigned mask, StackId where,
                               bool increments) {
  const HistoryId list = granule.cells[0].load(std::memory_order_relaxed);
  constexpr bool kWrites = Kind == AccessKind::kAtomicWrite;
  // Those of both words say the same of one; another is for the general way.
  if (list != clock_lists_[2] && (kWrites ? list != clock_list(GranuleFlags::release_clocks(mask)) || list == kUntouched
                                          : list != kUntouched && list != clock_lists_[0] && list != clock_lists_[1])) {
    return false;
  }
  if (!thread.epoch_used) note_segment(thread);
  if (!thread.words_pack || !ShadowWord::stack_fits(where)) return false;
  const bool follows = kWrites && follows_writes(options_);
  unsigned accessed = increments ? mask : 0;
  if (follows && !increments && thread.spin_word_count != 0) {
    accessed = spin_bytes_of(thread, {Kind, 0, where, address & ~(kGranuleBytes - 1), false});
  }
  if (!AtomicStep::renew<Kind>(thread, granule, list, mask, where, follows, accessed,
                               !kWrites && may_heed_now(thread))) {
    return false;
  }
  thread.epoch_used = true;
  return true;
}

// An atomic read gives nothing away, and so ends no segment.
void ShadowStore::read_atomically(Thread& thread, Address address, uint64_t size, StackId where) {
  ++thread.accesses;
  if (thread.recording) record(thread, AccessKind::kAtomicRead, address, size);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  heed_tick_request(thread);
  const bool in_one = address % kGranuleBytes + size <= kGranuleBytes;
  if (in_one) [[likely]] {
    Granule* granule = shadow_.existing_granule(address);
    if (granule != nullptr &&
        renew_atomic<AccessKind::kAtomicRead>(thread, *granule, address,
                                              bytes_in_granule(address, static_cast<unsigned>(size)), where, false)) {
      return;
    }
  }
  if (!in_one && may_heed_now(thread)) heed_range(thread, address, size);
  SpinSignals signals;
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.granule(at);
    if (granule == nullptr) {
      no_memory_for_shadow();
      continue;
    }
    const WordAccess access = {AccessKind::kAtomicRead, mask_in(at, address, address + size), where, at, false};
    const bool known = contains_same_access(thread, *granule, access.kind, access.mask) ||
                       is_in_list(thread, *granule, access.kind, access.mask);
    if (!known) access_shadow(thread, *granule, access, signals, false);
  }
}

// The short way of a write. False: it is another case, and nothing was done.
bool ShadowStore::renew_atomic_write(Thread& thread, Address address, uint64_t size, StackId where, bool reads) {
  if (address % kGranuleBytes + size > kGranuleBytes) return false;
  Granule* granule = shadow_.existing_granule(address);
  return granule != nullptr &&
         renew_atomic<AccessKind::kAtomicWrite>(thread, *granule, address,
                                                bytes_in_granule(address, static_cast<unsigned>(size)), where, reads);
}

// An atomic write; `reads`: one that reads, too. `has_release_clock`: it may leave one. `begins`: it begins a segment.
void ShadowStore::write_atomically(Thread& thread, Address address, uint64_t size, StackId where, bool reads,
                                   bool has_release_clock, bool begins) {
  ++thread.accesses;
  if (thread.recording) {
    record(thread, AccessKind::kAtomicWrite, address, size);
    // What reads and writes at once is a write: it is ignored as one.
    if (reads && (thread.ignoring & kIgnoreWrites) == 0) record_in(thread.reads, {address, address + size});
  }
  if ((thread.ignoring & kIgnoreWrites) != 0) return;
  heed_tick_request(thread);
  SpinSignals signals;
  if (!renew_atomic_write(thread, address, size, where, reads)) {
    for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
      Granule* granule = shadow_.granule(at);
      if (granule == nullptr) {
        no_memory_for_shadow();
        continue;
      }
      const WordAccess access = {AccessKind::kAtomicWrite, mask_in(at, address, address + size), where, at, reads};
      access_shadow(thread, *granule, access, signals, has_release_clock);
    }
  }
  if (begins && follows_writes(options_)) note_bytes(thread, address, size);
  if (signals.count != 0) send(thread, signals);
}

}  // namespace norn
