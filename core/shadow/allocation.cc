// Memory that is new, and memory that is given back.
#include "core/shadow/shadow_store.h"

namespace norn {
namespace {

// Nothing is left in granules that have nothing (GranuleStep::Alone).
constexpr auto kUnborn = [](uint64_t) { return false; };

// The allocation as an access. One that its thread ignores is as of a time before all: it races with nobody. It still
// says that its bytes have had a life, or the next owner's allocation would be the first.
PastAccess allocation_by(const Thread& thread, StackId where) {
  if ((thread.ignoring & kIgnoreWrites) != 0) {
    return {thread.slot, 0, AccessKind::kBirth, 0, kNoLocks, where, 0, thread.slot < ShadowWord::kSlots, 0};
  }
  return {thread.slot, 0, AccessKind::kBirth, thread.time,       thread.lockset,
          where,       0, thread.words_pack,  thread.words_locks};
}

}  // namespace

// Bytes of the leaf's.
void ShadowStore::clear_leaf(Thread& thread, const Leaf& leaf, Address begin, Address end) {
  const bool machine = is_state_machine(options_.engine);
  Granule* granule = &leaf.granules[begin / kGranuleBytes % Leaf::kGranules];
  for (Address at = begin & ~(kGranuleBytes - 1); at < end; at += kGranuleBytes, ++granule) {
    if (!machine) {
      const bool whole = at >= begin && at + kGranuleBytes <= end;
      if (!whole || !clear_simple_granule(*granule)) clear_granule(thread, *granule, at, mask_in(at, begin, end));
      continue;
    }
    const unsigned mask = mask_in(at, begin, end);
    for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
      const unsigned bytes = mask >> word * kWordBytes & 0xf;
      if (bytes != 0) clear_word(thread, granule->cells[word], at + word * kWordBytes, bytes);
    }
  }
}

void ShadowStore::clear_shadow(Thread& thread, Address begin, Address end) {
  if (options_.sampled) {
    return shadow_.for_each_used(begin, end, [&](Granule& granule, Address at) {
      const uint8_t mask = mask_in(at, begin, end);
      const bool empty =
          granule.cells[0].load(std::memory_order_relaxed) == kUntouched && GranuleWords::is_empty(granule);
      if (!empty) clear_granule(thread, granule, at, mask), thread.brought_nothing = false;
      return empty && mask == 0xff;
    });
  }
  for (Address at = begin; at < end;) {
    const Address leaf_end = ((at >> Leaf::kBits) + 1) << Leaf::kBits;
    const Address stop = end < leaf_end ? end : leaf_end;
    if (const Leaf* leaf = shadow_.existing_leaf(at); leaf != nullptr) clear_leaf(thread, *leaf, at, stop);
    at = stop;
  }
}

// The same where the system gives or takes the memory: then the shadow of much of it goes back to the system too, but
// for the ends. A granule that somebody else uses at this moment (who is not ordered with this: it is a race of the
// program's) may get back what it had.
void ShadowStore::give_back_shadow(Thread& thread, Address begin, Address end) {
  constexpr Address kLeafBytes = Address{1} << Leaf::kBits;
  const Address first = (begin + kLeafBytes - 1) & ~(kLeafBytes - 1);
  const Address last = end & ~(kLeafBytes - 1);
  if (!is_large(end - begin) || !shadow_.discard(first, last)) return clear_shadow(thread, begin, end);
  clear_shadow(thread, begin, first);
  clear_shadow(thread, last, end);
}

void ShadowStore::allocate(Thread& thread, Address address, uint64_t size) {
  if (size == 0) return;
  ++thread.memory_changes;
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  const Address end = address + size;
  if (is_in_one_leaf(address, end) && !options_.sampled) [[likely]] {
    const Leaf* leaf = shadow_.existing_leaf(address);
    if (leaf == nullptr) return;  // nobody was there
    if (leaf->objects.load(std::memory_order_acquire) != nullptr) sync_.remove_range(address, end);
    return clear_leaf(thread, *leaf, address, end);
  }
  thread.brought_nothing = !sync_.remove_range(address, end);
  clear_shadow(thread, address, end);
}

// Some bytes of a granule, or all. What was done to them goes; those to which anything was done are born.
void ShadowStore::bear_granule(Thread& thread, Granule& granule, Address address, unsigned mask, StackId where) {
  GranuleLock lock(granule);
  unsigned touched = is_in_read_table(granule) ? clear_read_table(granule, address, mask) : 0;
  if (mask == kWholeGranule) close_read_table(granule);
  AccessHistory history;
  uint32_t flags = read_granule(granule, lock.list, history);
  disown(granule, lock.list);
  flags &= ~GranuleFlags::spinning(mask);
  if (mask == kWholeGranule) flags = 0;
  unsigned kept = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    PastAccess s = history.all[i];
    touched |= s.mask;
    s.mask = static_cast<uint8_t>(s.mask & ~mask);
    s.adds &= s.mask;
    if (s.mask != 0) history.all[kept++] = s;
  }
  history.count = kept;
  history.overwritten = history.overwritten < kept ? history.overwritten : kept;
  touched &= mask;
  if (touched != 0) {
    if (history.count == AccessHistory::kMax) {
      context_.forgotten->fetch_add(1, std::memory_order_relaxed);
      history.forget_oldest(1);
    }
    PastAccess birth = allocation_by(thread, where);
    birth.mask = static_cast<uint8_t>(touched);
    history.all[history.count++] = birth;
  }
  lock.list = kUntouched;  // another list: what threads know of the old one ends
  write_granule(thread, granule, address, lock.list, history, flags);
}

void ShadowStore::bear(Thread& thread, Address address, uint64_t size, StackId where) {
  if (size == 0) return;
  if (options_.sampled || is_state_machine(options_.engine)) return allocate(thread, address, size);
  ++thread.memory_changes;
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  const Address end = address + size;
  const Leaf* only = is_in_one_leaf(address, end) ? shadow_.existing_leaf(address) : nullptr;
  if (is_in_one_leaf(address, end) && only == nullptr) return;  // nobody was there
  if (only == nullptr || only->objects.load(std::memory_order_acquire) != nullptr) sync_.remove_range(address, end);
  const bool ignored = (thread.ignoring & kIgnoreWrites) != 0;
  if (!thread.epoch_used && !ignored) {
    note_segment(thread);
    thread.epoch_used = true;
  }
  // As where memory is freed, some are locked at once.
  struct Locked {
    Granule* granule;
    Address at;
    uint64_t cells;
  };
  constexpr unsigned kAtOnce = 8;
  Locked locked[kAtOnce];
  unsigned count = 0;
  const bool packs = !ignored && may_renew(thread) && ShadowWord::stack_fits(where);
  const unsigned place = thread.slot & 1u;
  const ShadowWord fresh = GranuleStep::birth_of(thread, where);
  const GranuleStep::Alone<AccessKind::kBirth> own(thread, where);
  auto bear_locked = [&] {
    unsigned others = 0;  // that have more to them
    for (unsigned i = 0; i < count; ++i) {
      Granule& granule = *locked[i].granule;
      unsigned touched = 0;
      for (const std::atomic<ShadowWord>& word : granule.words) touched |= word.load(std::memory_order_relaxed).bytes();
      if (touched != kWholeGranule) {
        GranuleLock::unlock_both(granule, locked[i].cells);
        locked[others++] = locked[i];
        continue;
      }
      granule.words[place].store(fresh, std::memory_order_relaxed);
      granule.words[place ^ 1].store({}, std::memory_order_relaxed);
      granule.words[2].store({}, std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, uint64_t{thread.layout_alone} << 32);
    }
    for (unsigned i = 0; i < others; ++i) bear_granule(thread, *locked[i].granule, locked[i].at, kWholeGranule, where);
    count = 0;
  };
  for (Address at = address & ~(kGranuleBytes - 1); at < end;) {
    const Address leaf_end = ((at >> Leaf::kBits) + 1) << Leaf::kBits;
    const Address stop = end < leaf_end ? end : leaf_end;
    if (const Leaf* leaf = shadow_.existing_leaf(at); leaf != nullptr) {
      Granule* granule = &leaf->granules[at / kGranuleBytes % Leaf::kGranules];
      for (; at < stop; at += kGranuleBytes, ++granule) {
        if (packs && at >= address) {
          const uint64_t done = own.renew(granule, (stop - at) / kGranuleBytes, kUnborn);
          at += done * kGranuleBytes, granule += done;
          if (at >= stop) break;
        }
        const uint64_t cells = GranuleLock::cells_of(*granule);
        const unsigned mask = mask_in(at, address, end);
        const bool simple = static_cast<uint32_t>(cells) == kUntouched;
        if (simple && GranuleWords::is_empty(*granule)) continue;
        if (!simple || !packs || mask != kWholeGranule || !GranuleLock::try_lock_both(*granule, cells)) {
          bear_locked();  // nobody waits for a lock who has one
          bear_granule(thread, *granule, at, mask, where);
          continue;
        }
        locked[count++] = {granule, at, cells};
        if (count == kAtOnce) bear_locked();
      }
    }
    at = leaf_end < end ? leaf_end : end;
  }
  bear_locked();
}

void ShadowStore::map(Thread& thread, Address address, uint64_t size) {
  if (size == 0) return;
  ++thread.memory_changes;
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  sync_.remove_range(address, address + size);
  give_back_shadow(thread, address, address + size);
}

void ShadowStore::unmap(Thread& thread, Address address, uint64_t size) {
  ++thread.memory_changes;
  if (!is_large(size) || discard_shadow == nullptr) return;
  const Inside inside(*this, thread);
  give_back_shadow(thread, address, address + size);
}

void ShadowStore::forget_accesses(Thread& thread, Address address, uint64_t size) {
  ++thread.memory_changes;
  const Inside inside(*this, thread);
  clear_shadow(thread, address, address + size);
}

// A free of bytes of the leaf's, as far as that is simple: gives the first granule where it is not. Mostly a granule
// has nothing that stays: what the thread did itself, or somebody ordered before it, with locks that it has now or
// needs not. GranuleStep::renew() does the same, granule by granule.
Address ShadowStore::leave_free(Thread& thread, const Leaf& leaf, Address begin, Address end, StackId where) {
  Address at = begin & ~(kGranuleBytes - 1);
  if (!ShadowWord::stack_fits(where)) return at;
  const uint32_t now = ShadowWord::epoch_of(thread.slot, thread.time);
  const auto goes = [&](ShadowWord word, uint64_t cells, unsigned place) __attribute__((always_inline)) {
    if (word.is_none()) return true;
    const Related related = relate(FixedKind<AccessKind::kFree>{}, word, KnownNearby(thread, now, word, cells, place));
    return !word.is_free() && related.covered == Covered::kYes;
  };
  const ShadowWord fresh = ShadowWord::of_one_stack(now, AccessKind::kFree, ShadowWord::kAllBytes, where);
  const unsigned place = thread.slot & 1u;
  const uint64_t alone = uint64_t{thread.layout_alone} << 32;
  const GranuleStep::Alone<AccessKind::kFree> own(thread, where);
  // Whole granules are locked some at once, which is cheaper than one after the other: a lock waits for all that was
  // stored before it. Nobody waits for a lock who has one.
  constexpr unsigned kAtOnce = 8;
  while (at < end) {
    Granule* granules = &leaf.granules[at / kGranuleBytes % Leaf::kGranules];
    if (at >= begin && end - at >= kGranuleBytes) {
      const uint64_t own_granules = own.renew(granules, (end - at) / kGranuleBytes, kUnborn);
      at += own_granules * kGranuleBytes;
      if (own_granules != 0) continue;
    }
    const auto whole = at < begin ? 0 : (end - at) / kGranuleBytes;
    uint64_t cells[kAtOnce];
    unsigned locked = 0;
    for (; locked < kAtOnce && locked < whole; ++locked) {
      cells[locked] = GranuleLock::cells_of(granules[locked]);
      if (static_cast<uint32_t>(cells[locked]) != kUntouched) break;
      if (!GranuleLock::try_lock_both(granules[locked], cells[locked])) break;
    }
    unsigned done = 0;
    for (; done < locked; ++done) {
      Granule& granule = granules[done];
      const ShadowWord first = granule.words[0].load(std::memory_order_relaxed);
      const ShadowWord second = granule.words[1].load(std::memory_order_relaxed);
      const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
      if (!goes(first, cells[done], 0) || !goes(second, cells[done], 1) || !goes(third, cells[done], 2)) break;
      if (options_.sampled && GranuleWords::are_none(first, second, third)) shadow_.note_use(at + done * kGranuleBytes);
      granule.words[place].store(fresh, std::memory_order_relaxed);
      granule.words[place ^ 1].store({}, std::memory_order_relaxed);
      granule.words[2].store({}, std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, alone);
    }
    for (unsigned left = done; left < locked; ++left) GranuleLock::unlock_both(granules[left], cells[left]);
    at += done * kGranuleBytes;
    if (done == kAtOnce || at >= end) continue;
    // The next one is another case.
    const Address stop = at + kGranuleBytes < end ? at + kGranuleBytes : end;
    if (renew_span(thread, AccessKind::kFree, at, begin, stop, where, false) < stop) return at;
    at += kGranuleBytes;
  }
  return at;
}

void ShadowStore::free(Thread& thread, Address address, uint64_t size, StackId where) {
  if (size == 0) return;
  ++thread.memory_changes;
  ++thread.accesses;
  const Address end = address + size;
  Address at = address;
  if (thread.ignoring == 0 && is_in_one_leaf(address, end)) [[likely]] {
    const Inside inside(*this, thread);
    heed_tick_request(thread);
    if (!thread.epoch_used) note_segment(thread);
    thread.epoch_used = true;
    const Leaf* leaf = shadow_.existing_leaf(address);
    if (leaf != nullptr && may_renew(thread)) at = leave_free(thread, *leaf, address, end, where);
    if (at >= end) {
      if (leaf->objects.load(std::memory_order_acquire) != nullptr) sync_.remove_range(address, end);
      return;
    }
  }
  access_from(thread, AccessKind::kFree, at > address ? at : address, end, where, false);
  const Inside inside(*this, thread);
  sync_.remove_range(address, end);
}

}  // namespace norn
