// A granule as hb and hybrid use it: the newest shadow words, and a list of all that have no room.
//
// Its link is the id of a history with the shadow words that do not fit (kUntouched: none;
// core/shadow/overflow_list.h); its writes are older than those in the granule. It is the granule's lock, too. The
// second cell says in which order the shadow words in the granule were made, two bits for the place of each, oldest
// first; then for each place a byte for the shadow word's locks.
//
// Data that many threads read has its reads elsewhere (kInReadTable; core/shadow/read_table.h). Then a place that the
// order does not name may have a copy of such a read: nothing but what its thread's check looks for. Such a granule has
// a list always, if only one that is empty, which many share; so whatever is done where there is no list need not know
// of it.
//
// A thread's shadow word is in the place of its slot's parity, if that is free; there its check looks for it without
// the lock. A shadow word with a thread's present epoch is put there by that thread alone, and goes away only when the
// thread or somebody ordered after it says so, which cannot be before its time has passed, or when the memory is new.
// So whoever finds its own has nothing to do, whatever others do to the granule at the same time.
//
// Of a granule with flags (somebody waits for it, or an atomic lies there) no access passes unseen: what a check might
// find is in the list alone. If it has flags for atomics only, those shadow words may be in the granule all the same
// that are atomics', for which no check looks, or of times that have passed. One whose shadow words are all there has a
// list without shadow words, which many share.
#pragma once

#include "core/engine/hybrid.h"
#include "core/shadow/granule_layout.h"
#include "core/shadow/shadow.h"

namespace norn {

// Of the first word of a granule's list: for each of its words eight bits.
struct GranuleFlags {
  static constexpr unsigned kBits = 8;

  static uint32_t of_word(unsigned word, uint32_t flags) { return flags << word * kBits; }
  static uint8_t in_spin(uint32_t flags) {
    return static_cast<uint8_t>((flags & kInSpin) | (flags >> kBits & kInSpin) << kWordBytes);
  }
  static uint32_t spinning(unsigned mask) { return (mask & kInSpin) | of_word(1, mask >> kWordBytes & kInSpin); }
  // The release clocks of words all of whose bytes are there.
  static uint32_t release_clocks_within(unsigned mask) {
    return ((mask & 0x0f) == 0x0f ? kHasReleaseClock : 0) | ((mask & 0xf0) == 0xf0 ? of_word(1, kHasReleaseClock) : 0);
  }
  static uint32_t release_clocks(unsigned mask) {
    return ((mask & 0x0f) != 0 ? kHasReleaseClock : 0) | ((mask & 0xf0) != 0 ? of_word(1, kHasReleaseClock) : 0);
  }
};

// Of the second cell: the granule's plain reads are in rows, but for some that are in it or its list.
inline constexpr uint32_t kInReadTable = 0x40;

[[nodiscard]] inline bool is_in_read_table(const Granule& granule) {
  return (granule.cells[1].load(std::memory_order_relaxed) & kInReadTable) != 0;
}

// The words that lie in a granule, and how they are put there.
struct GranuleWords : GranuleLayout {
  // Where the one access lies that a granule has beside its reads in the table.
  static constexpr unsigned kBesideTable = 2;

  // A word and its locks.
  struct Kept {
    ShadowWord word;
    LocksCode locks;
  };

  // Makes it empty, but for its list.
  static void clear(Granule& granule) {
    for (std::atomic<ShadowWord>& word : granule.words) word.store({}, std::memory_order_relaxed);
    granule.cells[1].store(kNoOrder, std::memory_order_relaxed);
  }

  [[nodiscard, gnu::always_inline]] static bool are_none(ShadowWord a, ShadowWord b, ShadowWord c) {
    return (a.bits() | b.bits() | c.bits()) == 0;
  }
  [[nodiscard]] static bool is_empty(const Granule& granule) {
    return are_none(granule.words[0].load(std::memory_order_relaxed), granule.words[1].load(std::memory_order_relaxed),
                    granule.words[2].load(std::memory_order_relaxed));
  }

  // Puts these shadow words into the granule, oldest first: the newest into the place of its slot's parity, the others
  // into theirs if they can be.
  [[gnu::always_inline]] static void put(Granule& granule, const Kept& a, const Kept& b, const Kept& c) {
    auto store = [&](unsigned place, ShadowWord word) { granule.words[place].store(word, std::memory_order_relaxed); };
    uint32_t second = 0;
    if (a.word.is_none()) {
      for (unsigned place = 0; place < kPlaces; ++place) store(place, {});
      second = kNoOrder;
    } else if (b.word.is_none()) {
      const unsigned own = a.word.position();
      store(own, a.word);
      store(1 - own, {});
      store(2, {});
      second = kNoPlace << 4 | kNoPlace << 2 | own | locks_in(own, a.locks);
    } else if (c.word.is_none()) {
      const unsigned own = b.word.position();
      const unsigned other = a.word.position() != own ? 1 - own : 2;
      store(own, b.word);
      store(other, a.word);
      store(3 - own - other, {});
      second = kNoPlace << 4 | own << 2 | other | locks_in(own, b.locks) | locks_in(other, a.locks);
    } else {
      const unsigned own = c.word.position();
      const unsigned other = b.word.position() != own ? 1 - own : 2;
      const unsigned third = 3 - own - other;
      store(own, c.word);
      store(other, b.word);
      store(third, a.word);
      second =
          own << 4 | other << 2 | third | locks_in(own, c.locks) | locks_in(other, b.locks) | locks_in(third, a.locks);
    }
    granule.cells[1].store(second, std::memory_order_relaxed);
  }
};

// What a granule may be. The shape decides which way path 3 goes (core/shadow/shadow_store.h).
//
//   kEmpty       no list: nowhere, its words are none
//   kPlain       no list: up to three words
//   kOverflow    a list without flags or reads: words; writes that are older are in the list
//   kReadList    a list without flags: the same; reads of the list, in any order, as in a hash table
//   kReadShared  a list without flags, mostly the empty one that all share: plain reads are in the read table
//                (kInReadTable), word 2 is another access, words 0 and 1 are copies of reads, for checks alone
//   kAtomic      a list with kHasReleaseClock: words that no check finds, what has no room in the list, reads as above
//   kWaitedFor   a list with kInSpin: in the list alone, oldest first; reads perhaps in the table
//   kOwned       an owner table in the place of a list (core/shadow/owner_table.h): there alone; words are copies
enum class Shape : uint8_t { kEmpty, kPlain, kOverflow, kReadList, kReadShared, kAtomic, kWaitedFor, kOwned };

// Whether its list is an owner table. Under its lock, of which `list` is part.
[[nodiscard]] inline bool is_owned(const Granule& granule, HistoryId list) {
  return list != kUntouched && (granule.cells[1].load(std::memory_order_relaxed) & GranuleLayout::kOwned) != 0;
}

// Of a granule with this list, whose first word is `header` (0 where there is none).
[[nodiscard]] inline Shape shape_of(const Granule& granule, HistoryId list, uint32_t header) {
  constexpr uint32_t kReads = 0xff000000u;  // OverflowList::reads()
  if (list == kUntouched) {
    uint64_t any = 0;
    for (const std::atomic<ShadowWord>& word : granule.words) any |= word.load(std::memory_order_relaxed).bits();
    return any == 0 ? Shape::kEmpty : Shape::kPlain;
  }
  if (is_owned(granule, list)) return Shape::kOwned;
  const uint32_t flags = header & 0xffff;
  if (GranuleFlags::in_spin(flags) != 0) return Shape::kWaitedFor;
  if (flags != 0) return Shape::kAtomic;
  if (is_in_read_table(granule)) return Shape::kReadShared;
  return (header & kReads) != 0 ? Shape::kReadList : Shape::kOverflow;
}

class GranuleLock {
 public:
  // Only if nobody has it, and it has this list.
  static bool try_lock(Granule& granule, HistoryId list) {
    if constexpr (kOneAtATime) return granule.cells[0].load(std::memory_order_relaxed) == list;
    return granule.cells[0].compare_exchange_strong(list, kLocked, std::memory_order_acquire,
                                                    std::memory_order_relaxed);
  }
  static void unlock(Granule& granule, HistoryId list) { granule.cells[0].store(list, std::memory_order_release); }
  // Only if nobody has it, and it has no list.
  static bool try_lock_simple(Granule& granule) { return try_lock(granule, kUntouched); }
  static void unlock_simple(Granule& granule) { unlock(granule, kUntouched); }

  // Both cells as one, of a granule without a list; the second is the upper half. What is locked, or has one, is not 0
  // below.
  using Cells [[gnu::may_alias]] = uint64_t;
  [[nodiscard, gnu::always_inline]] static uint64_t cells_of(const Granule& granule) {
    return __atomic_load_n(reinterpret_cast<const Cells*>(granule.cells), __ATOMIC_RELAXED);
  }
  [[nodiscard, gnu::always_inline]] static bool is_locked(uint64_t cells) {
    return static_cast<HistoryId>(cells) == kLocked;
  }
  // Only if they are still these, which are not locked.
  [[gnu::always_inline]] static bool try_lock_both(Granule& granule, uint64_t cells) {
    if constexpr (kOneAtATime) return true;
    return __atomic_compare_exchange_n(reinterpret_cast<Cells*>(granule.cells), &cells, cells | kLocked, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  [[gnu::always_inline]] static void unlock_both(Granule& granule, uint64_t cells) {
    __atomic_store_n(reinterpret_cast<Cells*>(granule.cells), cells, __ATOMIC_RELEASE);
  }

  explicit GranuleLock(Granule& granule) : granule_(granule) {
    if constexpr (kOneAtATime) {
      list = granule.cells[0].load(std::memory_order_relaxed);
      return;
    }
    Backoff backoff;
    while ((list = granule.cells[0].exchange(kLocked, std::memory_order_acquire)) == kLocked) backoff.pause();
  }
  ~GranuleLock() {
    if (held_) unlock();
  }
  void unlock() {
    granule_.cells[0].store(list, std::memory_order_release);
    held_ = false;
  }
  GranuleLock(const GranuleLock&) = delete;
  GranuleLock& operator=(const GranuleLock&) = delete;

  // Of all but what is locked now.
  static HistoryId list_of(const Granule& granule) {
    HistoryId found = kUntouched;
    Backoff backoff;
    while ((found = granule.cells[0].load(std::memory_order_acquire)) == kLocked) backoff.pause();
    return found;
  }

  HistoryId list = kUntouched;

 private:
  static constexpr HistoryId kLocked = ~HistoryId{0};
  Granule& granule_;
  bool held_ = true;
};

// The bytes of an access that lies within one granule.
[[nodiscard]] constexpr unsigned bytes_in_granule(Address address, unsigned size) {
  return ((1u << size) - 1) << address % kGranuleBytes;
}

inline constexpr unsigned kWholeGranule = (1u << kGranuleBytes) - 1;

// AccessHistory that have no room in it, or flags.
[[nodiscard]] inline bool has_list(const Granule& granule) {
  return granule.cells[0].load(std::memory_order_relaxed) != kUntouched;
}

// Whether the thread made such an access in its present epoch already. (Whatever it did to the bytes stands for an
// atomic read.)
[[nodiscard]] inline bool contains_same_access(const Thread& thread, const Granule& granule, AccessKind kind,
                                               unsigned mask) {
  const bool write = kind == AccessKind::kWrite;
  const bool atomic_read = kind == AccessKind::kAtomicRead;
  if (!write && kind != AccessKind::kRead && !atomic_read) return false;
  const ShadowWord own = ShadowWord::from_bits(thread.fast.write.load(std::memory_order_relaxed));
  const uint64_t bits = (write         ? ShadowWord::kBitsOfWrites
                         : atomic_read ? ShadowWord::kBitsOfEpoch
                                       : ShadowWord::kBitsOfReads) &
                        ~ShadowWord::kBitsOfBytes;
  const auto is_done = [&](unsigned place) __attribute__((always_inline)) {
    const ShadowWord found = granule.words[place].load(std::memory_order_relaxed);
    if (found.equals_in(own, bits)) mask &= ~found.bytes();
    return mask == 0;
  };
  const unsigned place = thread.slot & 1u;
  return is_done(place) || is_done(2) || is_done(1 - place);
}

}  // namespace norn
