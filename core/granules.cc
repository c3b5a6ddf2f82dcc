// How the stamps of a granule are read, changed and written again.
#include "core/detector.h"
#include "core/granule.h"

namespace norn {
namespace {

constexpr unsigned kPlaces = 3;
constexpr unsigned kNoPlace = 3;

bool is_empty(const Granule& granule) {
  for (const std::atomic<uint64_t>& stamp : granule.stamps) {
    if (stamp.load(std::memory_order_relaxed) != 0) return false;
  }
  return granule.cells[0].load(std::memory_order_relaxed) == kUntouched;
}

LocksCode locks_at(uint32_t second, unsigned place) { return static_cast<LocksCode>(second >> (place + 1) * 8); }

void write_list(uint32_t* words, const Stamps& stamps, unsigned count, uint32_t flags) {
  words[0] = flags;
  for (unsigned i = 0; i < count; ++i) HybridEngine::write_stamp(words, i, stamps.all[i]);
}

// Puts these stamps into the granule, oldest first: the newest into the place of its slot's parity, the others into
// theirs if they can be.
[[gnu::always_inline]] inline void place_stamps(Granule& granule, const uint64_t* stamps, const LocksCode* locks,
                                                unsigned count) {
  uint64_t bits[kPlaces] = {};
  uint32_t second = kNoPlace | kNoPlace << 2 | kNoPlace << 4;
  auto put = [&](unsigned i, unsigned place) {
    bits[place] = stamps[i];
    second ^= (place ^ kNoPlace) << 2 * i | uint32_t{locks[i]} << (place + 1) * 8;
  };
  auto parity = [&](unsigned i) { return static_cast<unsigned>(stamps[i] >> PackedStamp::kSlotAt & 1); };
  if (count != 0) {
    const unsigned own = parity(count - 1);
    put(count - 1, own);
    unsigned left = kPlaces - 1;
    if (count > 1) {
      const bool fits = parity(count - 2) != own;
      put(count - 2, fits ? 1 - own : left);
      if (!fits) left = 1 - own;
    }
    if (count > 2) put(0, left);
  }
  for (unsigned i = 0; i < kPlaces; ++i) granule.stamps[i].store(bits[i], std::memory_order_relaxed);
  granule.cells[1].store(second, std::memory_order_relaxed);
}

}  // namespace

// Under its lock. Gives its flags.
uint32_t Detector::read_granule(const Granule& granule, HistoryId list, Stamps& stamps) const {
  stamps.count = stamps.overwritten = 0;
  uint32_t flags = 0;
  if (list != kUntouched) {
    const uint32_t* words = histories_.words(list);
    flags = words[0];
    stamps.count = (histories_.count(list) - HybridEngine::kHeaderWords) / HybridEngine::kStampWords;
    for (unsigned i = 0; i < stamps.count; ++i) {
      Stamp& stamp = stamps.all[i] = HybridEngine::read_stamp(words, i);
      stamp.packs = stamp.slot < PackedStamp::kSlots && stamp.time < PackedStamp::kTimeLimit &&
                    segments_.has_number(stamp.lockset, stamp.locks);
    }
  }
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned place = second >> 2 * i & 3;
    if (place == kNoPlace) break;
    const uint64_t bits = granule.stamps[place].load(std::memory_order_relaxed);
    if (bits == 0) break;
    stamps.all[stamps.count++] = Stamp::unpacked(segments_, bits, locks_at(second, place));
  }
  return flags;
}

// The list that these stamps and flags make: the one that there was, if it has the right size. If there is no memory
// they are lost.
HistoryId Detector::make_list(Thread& thread, HistoryId before, const Stamps& stamps, unsigned count, uint32_t flags) {
  if (count == 0 && flags == 0) return kUntouched;
  const unsigned size = HybridEngine::kHeaderWords + count * HybridEngine::kStampWords;
  if (before != kUntouched && histories_.count(before) == size) {
    write_list(const_cast<uint32_t*>(histories_.words(before)), stamps, count, flags);
    return before;
  }
  uint32_t words[Histories::kMaxWords];
  write_list(words, stamps, count, flags);
  const HistoryId made = histories_.make(thread.room, words, size);
  if (histories_.wants_collection()) [[unlikely]]
    collection_wanted_.store(true, std::memory_order_relaxed);
  return made == kUntouched ? before : made;
}

// Under its lock, of which `list` is part.
void Detector::write_granule(Thread& thread, Granule& granule, Address address, HistoryId& list, Stamps& stamps,
                             uint32_t flags) {
  if (stamps.count > kPlaces) HybridEngine::consolidate(context_, stamps);
  unsigned first = stamps.count;
  while (flags == 0 && first > stamps.overwritten && stamps.count - first < kPlaces && stamps.all[first - 1].fits()) {
    --first;
  }
  const HistoryId before = list;
  if (before != kUntouched || first != 0 || flags != 0) list = make_list(thread, before, stamps, first, flags);
  if (list != before && (before == kUntouched || histories_.is_old(before))) shadow_.note_change(address);

  uint64_t bits[kPlaces];
  LocksCode locks[kPlaces];
  unsigned count = 0;
  for (; first < stamps.count; ++first) {
    bits[count] = stamps.all[first].packed();
    locks[count++] = stamps.all[first].locks;
  }
  place_stamps(granule, bits, locks, count);
}

// Data that is read under many different locks has as many stamps of each reader: a later read takes the place of an
// earlier one only if its locks protect no better. So that each does not cost as much as there are, this one is done in
// place: the new stamp goes where the thread's last one was, and that one takes the room, in the list, of the one that
// the new one replaces. False: it is another case, and nothing was done. Under the granule's lock; a list belongs to
// one granule, so it may be changed.
bool Detector::read_in_place(const Thread& thread, Granule& granule, HistoryId list, const WordAccess& access) {
  const unsigned place = thread.slot & 1u;
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  const uint64_t bits = granule.stamps[place].load(std::memory_order_relaxed);
  if (access.kind != AccessKind::kRead || !thread.stamps_pack || bits == 0) return false;
  const Stamp last = Stamp::unpacked(segments_, bits, locks_at(second, place));
  const Stamp now = {thread.slot, access.mask, AccessKind::kRead,  thread.time, thread.lockset, access.where,
                     0,           true,        thread.stamps_locks};
  if (!is_own(thread, last.slot, last.time) || last.time == now.time || last.kind != now.kind ||
      last.mask != now.mask || !now.fits()) {
    return false;
  }
  for (unsigned i = 0; i < kPlaces; ++i) {
    const uint64_t other = granule.stamps[i].load(std::memory_order_relaxed);
    if (i == place || other == 0) continue;
    const Stamp stamp = Stamp::unpacked(segments_, other, locks_at(second, i));
    if (!HybridEngine::agrees(context_, thread, stamp, access)) return false;
  }
  const uint32_t* words = histories_.words(list);
  const unsigned count = (histories_.count(list) - HybridEngine::kHeaderWords) / HybridEngine::kStampWords;
  unsigned found = last.lockset == now.lockset ? count + 1 : count;
  if (words[0] != 0) return false;
  for (unsigned i = 0; i < count; ++i) {
    const Stamp stamp = HybridEngine::read_stamp(words, i);
    if (stamp.kind != AccessKind::kRead) {
      if (!HybridEngine::agrees(context_, thread, stamp, access)) return false;
    } else if (found == count && is_own(thread, stamp.slot, stamp.time) && stamp.lockset == now.lockset &&
               stamp.mask == now.mask) {
      found = i;
    }
  }
  if (found == count) return false;
  if (found < count) HybridEngine::write_stamp(const_cast<uint32_t*>(words), found, last);
  granule.stamps[place].store(now.packed(), std::memory_order_relaxed);
  const unsigned shift = (place + 1) * 8;
  granule.cells[1].store((second & ~(0xffu << shift)) | uint32_t{now.locks} << shift, std::memory_order_relaxed);
  return true;
}

// The locks of a time are known by the time: none may change while it has stamps.
void Detector::begin_stamping(Thread& thread) {
  if (thread.stamped) return;
  const bool fits = thread.slot < PackedStamp::kSlots && thread.time < PackedStamp::kTimeLimit;
  thread.stamps_pack = fits && segments_.note(thread.slot, thread.time, thread.lockset, thread.stamps_locks);
}

// Most accesses: nothing is in the list, no race is found, and what is left has room in the granule. Does what
// HybridEngine::next() and write_granule() would, on the stamps as they lie there. False: it is another case, and
// nothing was done.
bool Detector::access_simply(Thread& thread, Granule& granule, const WordAccess& access) {
  const bool lockless = context_.options->engine == EngineKind::kHb;
  const bool write = is_write(access.kind);
  const bool counts_writes = write && context_.options->spin;
  if (!thread.stamps_pack || access.where >> PackedStamp::kWhereBits != 0) return false;
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  uint64_t kept[kPlaces];
  LocksCode kept_locks[kPlaces];
  unsigned count = 0;
  // Ours, but for the bytes, and one that says the same of others.
  uint64_t stamp =
      Stamp{thread.slot, 0, access.kind, thread.time, kNoLocks, access.where, 0, true, thread.stamps_locks}.packed();
  unsigned same = kPlaces;
  bool adds = access.increments;
  bool continues = false;
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned place = second >> 2 * i & 3;
    const uint64_t bits = place == kNoPlace ? 0 : granule.stamps[place].load(std::memory_order_relaxed);
    if (bits == 0) break;
    const auto kind = static_cast<AccessKind>(bits >> PackedStamp::kKindAt & 7);
    const unsigned mask = bits >> PackedStamp::kMaskAt & 0xff;
    bool keeps = true;
    if ((mask & access.mask) != 0) {
      const auto slot = static_cast<Slot>(bits >> PackedStamp::kSlotAt);
      const auto time = static_cast<Time>(bits >> PackedStamp::kTimeAt & ((1u << PackedStamp::kTimeBits) - 1));
      const bool own = slot == thread.slot;
      if (own && time == thread.time) {
        // A read and then a write of the same, or of some more bytes.
        if (!covers(access.kind, kind) || covers(kind, access.kind)) return false;
      }
      if (counts_writes && own && time >= thread.segment_since && !adds) {
        if ((access.mask & ~mask) != 0) return false;
        adds = true;
      }
      const bool strong = (own && time >= thread.own_since) || thread.clocks.strong.get(slot) >= time;
      bool full = strong;
      const LocksCode locks = locks_at(second, place);
      if (!strong) {
        full = thread.clocks.full.get(slot) >= time;
        if (conflicts(access.kind, kind) &&
            (!full || (!lockless && !context_.locksets->protects(thread.lockset, segments_.at(slot, time, locks))))) {
          return false;
        }
      }
      const bool superfluous =
          covers(access.kind, kind) &&
          (lockless ? full
                    : strong && context_.locksets->weaker_or_same(thread.lockset, segments_.at(slot, time, locks)));
      if (superfluous) {
        if ((mask & ~unsigned{access.mask}) != 0) return false;
        keeps = false;
      }
      if (counts_writes && is_write(kind)) {
        if ((access.mask & ~mask) != 0 || kind == AccessKind::kFree) return false;
        continues = keeps || ((bits >> PackedStamp::kAddsAt & 1) != 0 && continues);
      }
    }
    if (!keeps) continue;
    if (write && is_write(kind)) same = kPlaces;  // the order of writes counts
    if ((bits & ~(uint64_t{0xff} << PackedStamp::kMaskAt)) == stamp) same = count;
    kept[count] = bits;
    kept_locks[count++] = locks_at(second, place);
  }
  if (counts_writes && adds && continues) {
    if (same != kPlaces) return false;
    stamp |= uint64_t{1} << PackedStamp::kAddsAt;
  }
  if (same != kPlaces) {
    kept[same] |= uint64_t{access.mask} << PackedStamp::kMaskAt;
  } else {
    if (count == kPlaces) return false;
    kept[count] = stamp | uint64_t{access.mask} << PackedStamp::kMaskAt;
    kept_locks[count++] = thread.stamps_locks;
  }
  place_stamps(granule, kept, kept_locks, count);
  return true;
}

// One access to one granule. `set_flags` are set with it.
void Detector::access_granule(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                              uint32_t set_flags) {
  if (is_empty(granule) && !shadow_.prepare(access.word)) return no_memory_for_shadow();
  begin_stamping(thread);
  GranuleLock lock(granule);
  if (set_flags == 0 && (lock.list == kUntouched ? access_simply(thread, granule, access)
                                                 : read_in_place(thread, granule, lock.list, access))) {
    thread.stamped = true;
    return;
  }
  access_generally(thread, granule, lock, access, signals, set_flags);
}

// An access within one granule, by a thread whose check did not find it stamped.
void Detector::access_one(Thread& thread, AccessKind kind, Address begin, Address end, Where where, bool reads_too) {
  if (thread.ignoring != 0 || is_state_machine(options_.engine)) [[unlikely]]
    return access_from(thread, kind, begin, end, where, reads_too);
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  const Address at = begin & ~(kGranuleBytes - 1);
  Granule* granule = shadow_.granule(at);
  if (granule == nullptr) return no_memory_for_shadow();
  SpinSignals signals;
  access_granule(thread, *granule, {kind, mask_in(at, begin, end), where, at, reads_too}, signals, 0);
  if (signals.count != 0) send(thread, signals);
}

void Detector::access_generally(Thread& thread, Granule& granule, GranuleLock& lock, const WordAccess& access,
                                SpinSignals& signals, uint32_t set_flags) {
  const bool plain_write = access.kind == AccessKind::kWrite || access.kind == AccessKind::kFree;
  FoundRaces races;
  Stamps stamps;
  const uint32_t flags = read_granule(granule, lock.list, stamps);
  const uint8_t in_spin = GranuleFlags::in_spin(flags);
  const uint8_t adds = (in_spin & access.mask) != 0 ? accessed_in_segment(thread, stamps, access) : uint8_t{0};
  const bool stamped = HybridEngine::next(context_, thread, stamps, in_spin, access, races);
  uint32_t ended = plain_write ? GranuleFlags::messages_within(access.mask) : 0;
  if (access.kind == AccessKind::kFree) ended |= GranuleFlags::spinning(access.mask);
  const uint32_t new_flags = (flags & ~ended) | set_flags;
  if (stamped || new_flags != flags) {
    thread.stamped |= stamped;
    write_granule(thread, granule, access.word, lock.list, stamps, new_flags);
  }
  lock.unlock();
  if (flags != 0) {
    if (plain_write && (flags & GranuleFlags::messages(access.mask)) != 0) end_messages(access);
    if (is_write(access.kind) && access.kind != AccessKind::kFree) note_signals(thread, access, flags, adds, signals);
  }
  if (races.count != 0) tell(races);
}

uint8_t Detector::accessed_in_segment(const Thread& thread, const Stamps& stamps, const WordAccess& access) {
  if (access.increments) return access.mask;
  unsigned accessed = HybridEngine::accessed_in_segment(stamps, thread) | spin_bytes_read(thread, access.word);
  accessed |= unsigned{spin_bytes_read(thread, access.word + kWordBytes)} << kWordBytes;
  return static_cast<uint8_t>(access.mask & accessed);
}

// Those who wait in a loop for bytes that were written are to hear of it.
void Detector::note_signals(Thread& thread, const WordAccess& access, uint32_t flags, unsigned adds,
                            SpinSignals& signals) {
  const unsigned waited_for = GranuleFlags::in_spin(flags) & access.mask;
  for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
    const auto bytes = static_cast<uint8_t>(waited_for >> word * kWordBytes & 0xf);
    if (bytes == 0) continue;
    if (signals.count == SpinSignals::kMax) send(thread, signals);
    const auto added = static_cast<uint8_t>(adds >> word * kWordBytes & bytes);
    signals.words[signals.count++] = {access.word + word * kWordBytes, bytes, added};
  }
}

// What was done to these bytes of the granule does not count any more.
void Detector::clear_granule(Thread& thread, Granule& granule, Address address, unsigned mask) {
  if (is_empty(granule)) return;
  GranuleLock lock(granule);
  if (mask == 0xff) {
    for (std::atomic<uint64_t>& stamp : granule.stamps) stamp.store(0, std::memory_order_relaxed);
    lock.list = kUntouched;
    return;
  }
  Stamps stamps;
  uint32_t flags = read_granule(granule, lock.list, stamps);
  flags &= ~GranuleFlags::spinning(mask);
  unsigned kept = 0;
  for (unsigned i = 0; i < stamps.count; ++i) {
    Stamp s = stamps.all[i];
    s.mask = static_cast<uint8_t>(s.mask & ~mask);
    s.adds &= s.mask;
    if (s.mask != 0) stamps.all[kept++] = s;
  }
  stamps.count = kept;
  write_granule(thread, granule, address, lock.list, stamps, flags);
}

// Somebody waits for these bytes from here on. Gives those for which nobody did, and what was stamped before.
unsigned Detector::begin_spinning(Thread& thread, Granule& granule, Address address, unsigned mask, Stamps& stamps) {
  GranuleLock lock(granule);
  const uint32_t flags = read_granule(granule, lock.list, stamps);
  const unsigned fresh = mask & ~unsigned{GranuleFlags::in_spin(flags)};
  if (fresh != 0) write_granule(thread, granule, address, lock.list, stamps, flags | GranuleFlags::spinning(mask));
  return fresh;
}

// In a full collection.
void Detector::mark_stamps(const Granule& granule) {
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  for (unsigned place = 0; place < kPlaces; ++place) {
    const uint64_t bits = granule.stamps[place].load(std::memory_order_relaxed);
    if (bits == 0) continue;
    const Stamp stamp = Stamp::unpacked(segments_, bits, 0);
    slots_.mark(stamp.slot);
    segments_.mark(stamp.slot, stamp.time, locks_at(second, place));
  }
}

unsigned Detector::stamps_at(Address address) {
  Granule* granule = shadow_.existing_granule(address);
  if (granule == nullptr) return 0;
  const GranuleLock lock(*granule);
  Stamps stamps;
  read_granule(*granule, lock.list, stamps);
  return stamps.count;
}

}  // namespace norn
