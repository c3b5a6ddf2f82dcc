// The state machines keep a history for each word, and change its cell by one compare-and-swap; core/engine/engine.h
// says why this is enough.
#include "core/shadow/shadow_store.h"

namespace norn {

// One access to one word, from load to report. `set_flags` go into the history with it.
void ShadowStore::access_word(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals,
                              uint32_t set_flags) {
  const bool plain_write = access.kind == AccessKind::kWrite || access.kind == AccessKind::kFree;
  uint32_t clear_flags = 0;
  if (plain_write && access.mask == 0xf) clear_flags |= kHasReleaseClock;
  if (access.kind == AccessKind::kFree) clear_flags |= access.mask;

  if (!shadow_.prepare(access.word)) return no_memory_for_shadow();
  if (thread.unsettled != 0) settle_lockset(thread);
  FoundRaces races;
  HistoryId before = cell.load(std::memory_order_acquire);
  uint32_t flags = 0;
  uint8_t adds = 0;
  for (;;) {
    flags = before == kUntouched ? 0 : histories_.words(before)[0];
    if ((flags & access.mask & kInSpin) != 0) {
      const unsigned accessed = access.increments ? access.mask
                                                  : MsmEngine::accessed_in_segment(context_, before, thread) |
                                                        spin_bytes_read(thread, access.word);
      adds = static_cast<uint8_t>(access.mask & accessed);
    }
    races.count = 0;
    const HistoryId after = MsmEngine::next(context_, thread, before, access, set_flags, clear_flags, races);
    if (after == before) break;
    const HistoryId found = before;
    if (cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) {
      thread.epoch_used = true;
      note_change(access.word, found);
      break;
    }
  }
  if ((flags & kHasReleaseClock) != 0 && plain_write) end_release_clocks_of(access);
  const auto waited_for = static_cast<uint8_t>(flags & access.mask & kInSpin);
  if (waited_for != 0 && is_write(access.kind) && access.kind != AccessKind::kFree) {
    const Address granule = access.word & ~(kGranuleBytes - 1);
    const auto shift = static_cast<unsigned>(access.word - granule);
    add_signal(
        thread, signals,
        {granule, static_cast<uint8_t>(waited_for << shift), static_cast<uint8_t>((adds & waited_for) << shift)});
  }
  if (races.count != 0) report_races(thread, races);
  if (threadsets_.wants_collection() || histories_.wants_collection()) [[unlikely]]
    want_collection();
}

// Only some bytes of the word are new: the others keep their past.
void GranuleStore::clear_word(Thread& thread, Cell& cell, Address address, unsigned mask) {
  HistoryId before = cell.load(std::memory_order_acquire);
  HistoryId after = kUntouched;
  do {
    if (before == kUntouched) return;
    uint32_t words[Histories::kMaxWords];
    unsigned n = 0;
    const uint32_t* old = histories_.words(before);
    for (; n < MsmEngine::kHeaderWords; ++n) words[n] = old[n];
    words[0] &= ~(uint32_t{mask} & kInSpin);
    for (unsigned i = n; i < histories_.count(before); i += MsmEngine::kPartWords) {
      const uint32_t kept = (old[i] & 0xf) & ~uint32_t{mask};
      if (kept == 0) continue;
      for (unsigned k = 0; k < MsmEngine::kPartWords; ++k) words[n + k] = old[i + k];
      words[n] = (words[n] & ~0xfu) | kept;
      n += MsmEngine::kPartWords;
    }
    bool empty = n == MsmEngine::kHeaderWords;
    for (unsigned i = 0; i < MsmEngine::kHeaderWords; ++i) empty &= words[i] == 0;
    after = empty || mask == 0xf ? kUntouched : histories_.make(thread.room, words, n);
  } while (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel));
  note_change(address, kUntouched);
}

// The same as begin_spinning(), for the state machines; the history before tells what was done before.
unsigned GranuleStore::begin_spinning_word(Thread& thread, Cell& cell, Address word, unsigned mask, HistoryId& before) {
  before = cell.load(std::memory_order_acquire);
  for (;;) {
    uint32_t words[Histories::kMaxWords];
    const unsigned count = before == kUntouched ? MsmEngine::kHeaderWords : histories_.count(before);
    for (unsigned i = 0; i < count; ++i) words[i] = before == kUntouched ? 0 : histories_.words(before)[i];
    const unsigned fresh = mask & ~words[0];
    if (fresh == 0) return 0;
    words[0] |= mask;
    const HistoryId after = histories_.make(thread.room, words, count);
    if (after == kUntouched) return 0;
    const HistoryId found = before;
    if (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) continue;
    note_change(word, found);
    return fresh;
  }
}

MsmState GranuleStore::msm_state(Address address) {
  const Granule* granule = shadow_.existing_granule(address);
  if (granule == nullptr) return MsmState::kNew;
  const HistoryId id = granule->cells[address % kGranuleBytes / kWordBytes].load(std::memory_order_acquire);
  return MsmEngine::state(histories_, id, static_cast<unsigned>(address % kWordBytes));
}

}  // namespace norn
