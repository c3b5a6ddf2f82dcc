// What most accesses do to a granule: nothing is in its list, no race is found, and what is left has room in it.
//
// This is HybridEngine::next() and write_granule() once more, on stamps as they lie in the granule: the way of nearly
// all accesses that are the first of their kind at their thread's time. What it cannot do it leaves to them, and then
// has done nothing.
#pragma once

#include "core/engine.h"
#include "core/granule.h"
#include "core/lockset.h"

namespace norn {

class GranuleStep {
 public:
  static constexpr unsigned kPlaces = 3;
  static constexpr unsigned kNoPlace = 3;
  // Of the second cell, without any stamp.
  static constexpr uint32_t kNoOrder = kNoPlace | kNoPlace << 2 | kNoPlace << 4;

  [[nodiscard]] static LocksCode locks_at(uint32_t second, unsigned place) {
    return static_cast<LocksCode>(uint64_t{second} >> (place + 1) * 8);
  }

  [[nodiscard]] static uint32_t locks_in(unsigned place, LocksCode locks) { return uint32_t{locks} << (place + 1) * 8; }

  // A stamp and its locks.
  struct Kept {
    uint64_t bits;
    LocksCode locks;
  };

  // What a stamp in a granule says.
  static unsigned mask_of(uint64_t bits) { return bits >> PackedStamp::kMaskAt & 0xff; }
  static AccessKind kind_of(uint64_t bits) { return static_cast<AccessKind>(bits >> PackedStamp::kKindAt & 7); }
  static Slot slot_of(uint64_t bits) { return static_cast<Slot>(bits >> PackedStamp::kSlotAt); }
  static Time time_of(uint64_t bits) {
    return static_cast<Time>(bits >> PackedStamp::kTimeAt & ((1u << PackedStamp::kTimeBits) - 1));
  }

  [[nodiscard]] static bool is_empty(const Granule& granule) {
    return (granule.stamps[0].load(std::memory_order_relaxed) | granule.stamps[1].load(std::memory_order_relaxed) |
            granule.stamps[2].load(std::memory_order_relaxed)) == 0;
  }

  GranuleStep(const EngineContext& context, const SegmentLocks& segments, Thread& thread, AccessKind kind,
              unsigned mask, bool increments, Where where)
      : context_(context),
        segments_(segments),
        thread_(thread),
        kind_(kind),
        mask_(mask),
        lockless_(context.options->engine == EngineKind::kHb),
        counts_writes_(is_write(kind) && follows_writes(*context.options)),
        adds_(increments ? mask : 0),
        own_(says(thread, kind, where)) {}

  // The second cell when the newest stamp, with these locks, takes a place.
  [[nodiscard]] static uint32_t with_newest(uint32_t second, unsigned place, LocksCode locks) {
    const uint32_t others = second & ~(kNoOrder | locks_in(place, LocksCode{0xff}));
    return others | kOrdersAfter.of[place][kNoPlace][second & kNoOrder] | locks_in(place, locks);
  }

  // The shortest way, where what is there is ordered before and goes as a whole, but for one stamp perhaps, which stays
  // as it is: nearly all that threads keep to themselves, hand on, or read together. False: it is another case.
  // `known`: the clock of the relation in which stamps are superfluous. `prepare()`: before the granule's first stamp.
  template <AccessKind Kind, class PrepareCall>
  [[nodiscard, gnu::always_inline]] static bool replace(const Thread& thread, const Clock& known, Granule& granule,
                                                        unsigned mask, Where where, const PrepareCall& prepare) {
    const uint64_t cells = GranuleLock::cells_of(granule);
    if (static_cast<uint32_t>(cells) != 0) return false;
    const auto second = static_cast<uint32_t>(cells >> 32);
    const unsigned place = thread.slot & 1u;
    const uint32_t now = uint32_t{thread.slot} << PackedStamp::kTimeBits | thread.time;
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    const uint64_t other_bytes = uint64_t{0xff} << PackedStamp::kMaskAt & ~bytes;
    bool done = false;
    uint64_t kept = 0;
    unsigned from = kNoPlace;
    const auto keep = [&](uint64_t bits, unsigned at) __attribute__((always_inline)) {
      if (kept != 0 || kind_of(bits) == AccessKind::kFree) return false;
      kept = bits;
      from = at;
      return true;
    };
    // False: it is another case, or done.
    const auto judge = [&](uint64_t bits, unsigned at) __attribute__((always_inline)) {
      if (bits == 0) return true;
      const auto moment = static_cast<uint32_t>(bits >> PackedStamp::kTimeAt);
      const bool covered = is_one_of<kinds_covered_by(Kind)>(bits);
      if (moment == now) {
        const bool stands = is_one_of<kinds_that_stand_for(Kind)>(bits);
        done = stands && (bits & bytes) == bytes;
        return !stands && covered && (bits & other_bytes) == 0;
      }
      if ((bits & bytes) == 0) return keep(bits, at);
      const bool before = now - moment <= thread.time - thread.own_since ||
                          known.get_near(moment >> PackedStamp::kTimeBits) >= (moment & PackedStamp::kTimeLimit);
      if (!before && is_one_of<conflicts_of(Kind)>(bits)) return false;
      if (!before || !covered) return keep(bits, at);
      const LocksCode locks = locks_at(second, at);
      if (locks == thread.stamps_locks || thread.lockset == kNoLocks) return (bits & other_bytes) == 0;
      return locks == 0 && keep(bits, at);  // nothing protected it, as something protects this
    };
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    if (!judge(third, 2)) return done;
    const uint64_t other = granule.stamps[place ^ 1].load(std::memory_order_relaxed);
    if (!judge(other, place ^ 1)) return done;
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    if (!judge(mine, place)) return done;
    if ((mine | other | third) == 0 && !prepare()) return false;
    const uint64_t fresh =
        uint64_t{now} << PackedStamp::kTimeAt | bytes | static_cast<uint64_t>(Kind) << PackedStamp::kKindAt | where;
    if (!GranuleLock::try_lock_both(granule, cells)) return false;
    if (granule.stamps[place].load(std::memory_order_relaxed) != mine ||
        granule.stamps[place ^ 1].load(std::memory_order_relaxed) != other ||
        granule.stamps[2].load(std::memory_order_relaxed) != third) [[unlikely]] {
      GranuleLock::unlock_both(granule, cells);
      return false;
    }
    granule.stamps[place].store(fresh, std::memory_order_relaxed);
    if (kept == 0) {
      granule.stamps[place ^ 1].store(0, std::memory_order_relaxed);
      granule.stamps[2].store(0, std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, uint64_t{thread.stamps_alone} << 32);
    } else {
      const Keeps& keeps = kKeeps.of[place][from];
      granule.stamps[keeps.to].store(kept, std::memory_order_relaxed);
      granule.stamps[3 - place - keeps.to].store(0, std::memory_order_relaxed);
      const uint32_t locks = (second & keeps.locks) << keeps.shift | (thread.stamps_alone & ~kNoOrder);
      GranuleLock::unlock_both(granule, uint64_t{keeps.order | locks} << 32);
    }
    return true;
  }
  // The second cell of a granule with one stamp.
  [[nodiscard]] static uint32_t alone(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return kNoPlace << 4 | kNoPlace << 2 | place | locks_in(place, locks);
  }

  // Up to two stamps of the thread itself, made with the locks that it holds now.
  struct Own {
    uint64_t mine;
    uint64_t old;  // than that
  };
  // Whether nothing else is in the granule.
  [[nodiscard, gnu::always_inline]] static bool has_only(const Thread& thread, const Granule& granule, Own& own) {
    const unsigned place = thread.slot & 1u;
    own.mine = granule.stamps[place].load(std::memory_order_relaxed);
    own.old = granule.stamps[2].load(std::memory_order_relaxed);
    return (own.mine == 0 || is_own(thread, slot_of(own.mine), time_of(own.mine))) &&
           (own.old == 0 || is_own(thread, slot_of(own.old), time_of(own.old))) && has_no_others(thread, granule, own);
  }

  // A short way where that is so: of what a thread keeps to itself, and of most of what it was given. False: it is
  // another case. `where(place)`: the place, false if that is not to be had. `prepare()`: before the granule's first
  // stamp.
  template <AccessKind Kind, class WhereCall, class PrepareCall>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, const Own& before,
                                                      unsigned mask, const WhereCall& where,
                                                      const PrepareCall& prepare) {
    const unsigned place = thread.slot & 1u;
    const auto [mine, old] = before;
    const bool now = mine != 0 && time_of(mine) == thread.time;
    if (now) {
      // What is there of this very time already is no first access.
      mask &= ~(stamped_now<Kind>(thread, mine) | stamped_now<Kind>(thread, old));
      if (mask == 0) return true;
    }
    Where found = kNowhere;
    if (!where(found) || found >> PackedStamp::kWhereBits != 0) return false;
    const uint64_t own = says(thread, Kind, found);
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    const uint64_t joined = now ? with_bytes(thread, mine, own, mask) : kApart;
    if (joined == kUnknown) return false;
    const uint64_t old_left = left_of<Kind>(old, bytes);
    const uint64_t mine_left = left_of<Kind>(mine, bytes);
    if (joined == kApart && mine_left != 0 && old_left != 0) return false;
    const uint64_t new_old = joined != kApart || mine_left == 0 ? old_left : mine_left;
    const uint64_t new_mine = joined != kApart ? joined : own | bytes;

    if (mine == 0 && !prepare()) return false;
    if (!GranuleLock::try_lock_simple(granule)) return false;
    const bool still = granule.stamps[place].load(std::memory_order_relaxed) == mine &&
                       granule.stamps[2].load(std::memory_order_relaxed) == old &&
                       has_no_others(thread, granule, before);
    if (still) [[likely]] {
      granule.stamps[place].store(new_mine, std::memory_order_relaxed);
      if (new_old != old) granule.stamps[2].store(new_old, std::memory_order_relaxed);
      if (mine == 0 || (new_old == 0) != (old == 0)) {
        granule.cells[1].store(own_order(thread, new_old != 0), std::memory_order_relaxed);
      }
    }
    GranuleLock::unlock_simple(granule);
    return still;
  }

  // The same where there are stamps of other threads too, or made under other locks. What is in the thread's own place
  // and stays moves, if there is room; or it says the same of other bytes.
  template <AccessKind Kind, class WhereCall>
  [[nodiscard, gnu::always_inline]] static bool renew_beside(const Thread& thread, bool lockless, bool counts_writes,
                                                             bool heeds, Granule& granule, unsigned mask,
                                                             bool increments, const WhereCall& where) {
    const unsigned place = thread.slot & 1u;
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    const uint64_t other = granule.stamps[1 - place].load(std::memory_order_relaxed);
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    if (const unsigned done =
            stamped_now<Kind>(thread, mine) | stamped_now<Kind>(thread, other) | stamped_now<Kind>(thread, third);
        (done & mask) != 0) {
      if (counts_writes) return false;  // somebody else may have written since
      mask &= ~done;
      if (mask == 0) return true;
    }
    const uint64_t mine_left = left_beside<Kind>(thread, lockless, heeds, mine, locks_at(second, place), mask);
    const uint64_t other_left = left_beside<Kind>(thread, lockless, heeds, other, locks_at(second, 1 - place), mask);
    const uint64_t third_left = left_beside<Kind>(thread, lockless, heeds, third, locks_at(second, 2), mask);
    if (mine_left == kUnknown || other_left == kUnknown || third_left == kUnknown) return false;
    // Its bytes go to what it did last, or that makes room for it.
    const bool joins = says_same(mine, says(thread, Kind, kNowhere));
    const bool moves = !joins && mine_left != 0;
    if (moves && third_left != 0 && other_left != 0) return false;
    const unsigned to = !moves ? kNoPlace : third_left == 0 ? 2 : 1 - place;
    // In which order they will be: the thread's own last.
    unsigned order = second & kNoOrder;
    if (joins && kOrdersAfter.of[place][kNoPlace][order] != order) return false;
    if (other != 0 && other_left == 0) order = without(order, 1 - place);
    if (third != 0 && third_left == 0) order = without(order, 2);
    const unsigned after = kOrdersAfter.of[place][to][order];
    const unsigned count = (other_left != 0 ? 1u : 0u) + (third_left != 0 ? 1u : 0u) + (moves ? 1u : 0u);
    if (after >> 2 * count != (kNoOrder >> 2 * (count + 1) << 2 | place)) return false;

    unsigned adds = 0;
    if (counts_writes) {
      auto touched = [&](uint64_t bits) __attribute__((always_inline)) {
        return bits != 0 && slot_of(bits) == thread.slot && time_of(bits) >= thread.segment_since ? mask_of(bits) : 0u;
      };
      adds = mask & (increments ? mask : touched(mine) | touched(other) | touched(third));
      if (adds != 0) {
        uint64_t stamps[kPlaces] = {};
        bool goes[kPlaces] = {};
        stamps[place] = mine, goes[place] = mine_left != mine;
        stamps[1 - place] = other, goes[1 - place] = other_left != other;
        stamps[2] = third, goes[2] = third_left != third;
        adds &= continued(stamps, goes, second);
      }
      if (adds != 0 && (adds != mask || joins)) return false;
    }
    Where found = kNowhere;
    if (!where(found) || found >> PackedStamp::kWhereBits != 0) return false;
    const uint64_t fresh = says(thread, Kind, found);
    const uint64_t joined = with_bytes(thread, mine, fresh, mask);
    if (joined == kUnknown || (joins && joined == kApart)) return false;
    const uint64_t stamp =
        joins ? joined : fresh | uint64_t{mask} << PackedStamp::kMaskAt | uint64_t{adds != 0} << PackedStamp::kAddsAt;
    const uint64_t new_other = to == 1 - place ? mine_left : other_left;
    const uint64_t new_third = to == 2 ? mine_left : third_left;
    uint32_t new_second = after | locks_in(place, thread.stamps_locks);
    if (new_other != 0) new_second |= locks_in(1 - place, locks_at(second, to == 1 - place ? place : 1 - place));
    if (new_third != 0) new_second |= locks_in(2, locks_at(second, to == 2 ? place : 2));
    if (!GranuleLock::try_lock_simple(granule)) return false;
    const bool still = granule.stamps[place].load(std::memory_order_relaxed) == mine &&
                       granule.stamps[1 - place].load(std::memory_order_relaxed) == other &&
                       granule.stamps[2].load(std::memory_order_relaxed) == third &&
                       granule.cells[1].load(std::memory_order_relaxed) == second;
    if (still) [[likely]] {
      granule.stamps[place].store(stamp, std::memory_order_relaxed);
      if (new_other != other) granule.stamps[1 - place].store(new_other, std::memory_order_relaxed);
      if (new_third != third) granule.stamps[2].store(new_third, std::memory_order_relaxed);
      if (new_second != second) granule.cells[1].store(new_second, std::memory_order_relaxed);
    }
    GranuleLock::unlock_simple(granule);
    return still;
  }

  // Under the granule's lock, the thread having begun to stamp. False: it is another case.
  bool take(Granule& granule);

  // Puts these stamps into the granule, oldest first: the newest into the place of its slot's parity, the others into
  // theirs if they can be.
  [[gnu::always_inline]] static void put(Granule& granule, const Kept& a, const Kept& b, const Kept& c) {
    auto store = [&](unsigned place, uint64_t bits) { granule.stamps[place].store(bits, std::memory_order_relaxed); };
    uint32_t second = 0;
    if (a.bits == 0) {
      for (unsigned place = 0; place < kPlaces; ++place) store(place, 0);
      second = kNoOrder;
    } else if (b.bits == 0) {
      const unsigned own = parity(a.bits);
      store(own, a.bits);
      store(1 - own, 0);
      store(2, 0);
      second = kNoPlace << 4 | kNoPlace << 2 | own | locks_in(own, a.locks);
    } else if (c.bits == 0) {
      const unsigned own = parity(b.bits);
      const unsigned other = parity(a.bits) != own ? 1 - own : 2;
      store(own, b.bits);
      store(other, a.bits);
      store(3 - own - other, 0);
      second = kNoPlace << 4 | own << 2 | other | locks_in(own, b.locks) | locks_in(other, a.locks);
    } else {
      const unsigned own = parity(c.bits);
      const unsigned other = parity(b.bits) != own ? 1 - own : 2;
      const unsigned third = 3 - own - other;
      store(own, c.bits);
      store(other, b.bits);
      store(third, a.bits);
      second =
          own << 4 | other << 2 | third | locks_in(own, c.locks) | locks_in(other, b.locks) | locks_in(third, a.locks);
    }
    granule.cells[1].store(second, std::memory_order_relaxed);
  }

 private:
  [[nodiscard, gnu::always_inline]] static bool has_no_others(const Thread& thread, const Granule& granule,
                                                              const Own& own) {
    if (granule.stamps[1 - (thread.slot & 1u)].load(std::memory_order_relaxed) != 0) return false;
    if (own.mine == 0) return own.old == 0;
    return granule.cells[1].load(std::memory_order_relaxed) == own_order(thread, own.old != 0);
  }
  // How the second cell says that there are one or two stamps, of the thread and its present locks.
  [[nodiscard, gnu::always_inline]] static uint32_t own_order(const Thread& thread, bool two) {
    const unsigned place = thread.slot & 1u;
    const uint32_t one = kNoPlace << 4 | locks_in(place, thread.stamps_locks);
    return one | (two ? place << 2 | 2u | locks_in(2, thread.stamps_locks) : kNoPlace << 2 | place);
  }
  // What an access of the same thread with the same locks leaves of a stamp. 0 of 0.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static uint64_t left_of(uint64_t stamp, uint64_t bytes) {
    return covers(Kind, kind_of(stamp)) ? without_bytes(stamp, bytes) : stamp;
  }
  [[nodiscard, gnu::always_inline]] static uint64_t without_bytes(uint64_t stamp, uint64_t bytes) {
    const uint64_t left = stamp & ~bytes;
    return mask_of(left) == 0 ? 0 : left;
  }

  // Which bytes a stamp says that the thread has accessed at its present time already. (A free is told as one.)
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static unsigned stamped_now(const Thread& thread, uint64_t bits) {
    const AccessKind kind = kind_of(bits);
    const bool stands = Kind == AccessKind::kFree ? kind == Kind : covers(kind, Kind);
    return stands && slot_of(bits) == thread.slot && time_of(bits) == thread.time ? mask_of(bits) : 0u;
  }

  // Sets of kinds, a bit each.
  [[nodiscard]] static constexpr unsigned kinds_covered_by(AccessKind kind) {
    unsigned covered = 0;
    for (unsigned k = 0; k < static_cast<unsigned>(AccessKind::kFree); ++k) {
      if (covers(kind, static_cast<AccessKind>(k))) covered |= 1u << k;
    }
    return covered;
  }
  [[nodiscard]] static constexpr unsigned kinds_that_stand_for(AccessKind kind) {
    unsigned standing = 0;
    for (unsigned k = 0; k <= static_cast<unsigned>(AccessKind::kFree); ++k) {
      const auto other = static_cast<AccessKind>(k);
      if (kind == AccessKind::kFree ? other == kind : covers(other, kind)) standing |= 1u << k;
    }
    return standing;
  }
  template <unsigned Set>
  [[nodiscard, gnu::always_inline]] static bool is_one_of(uint64_t bits) {
    constexpr unsigned kReads = 0b00101, kAllButFree = 0b01111, kAll = 0b11111;
    if constexpr (Set == kAll) return true;
    if constexpr (Set == kReads) return (bits & uint64_t{0b101} << PackedStamp::kKindAt) == 0;
    if constexpr (Set == (kAll ^ kReads)) return (bits & uint64_t{0b101} << PackedStamp::kKindAt) != 0;
    if constexpr (Set == kAllButFree) return (bits & uint64_t{0b100} << PackedStamp::kKindAt) == 0;
    return (Set >> static_cast<unsigned>(kind_of(bits)) & 1) != 0;
  }

  static constexpr uint64_t kApart = 0;
  static constexpr uint64_t kUnknown = PackedStamp::kNobody;
  // A stamp with other bytes too, if it says the same as `own`, but for the place perhaps: then its place is mixed.
  // Unknown: whether there is such a place takes longer to find out.
  [[nodiscard, gnu::always_inline]] static uint64_t with_bytes(const Thread& thread, uint64_t stamp, uint64_t own,
                                                               unsigned mask) {
    if (!says_same(stamp, own)) return kApart;
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    if ((stamp & kWhere) == (own & kWhere)) return stamp | bytes;
    const KnownMixes::Entry& known = thread.mixes.of(pair_of(stamp, own, mask));
    if (known.pair != pair_of(stamp, own, mask)) return kUnknown;
    return known.mixed == KnownMixes::kNone ? kApart : (stamp & ~kWhere) | bytes | known.mixed;
  }
  static constexpr uint64_t kWhere = (uint64_t{1} << PackedStamp::kAddsAt) - 1;  // with the bit that says it is mixed
  [[nodiscard, gnu::always_inline]] static uint64_t pair_of(uint64_t stamp, uint64_t own, unsigned mask) {
    return (stamp & kWhere) | (own & kWhere) << 22 | uint64_t{mask_of(stamp)} << 44 | uint64_t{mask} << 52;
  }
  [[nodiscard, gnu::always_inline]] static bool says_same(uint64_t bits, uint64_t own) {
    return bits != 0 && ((bits ^ own) & ~kWhere & ~(uint64_t{0xff} << PackedStamp::kMaskAt)) == 0;
  }
  static unsigned parity(uint64_t bits) { return static_cast<unsigned>(bits >> PackedStamp::kSlotAt & 1); }

  // What an access leaves of a stamp, 0 of 0, where there are those of others. Unknown is what races, and what takes
  // longer to find out.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static uint64_t left_beside(const Thread& thread, bool lockless, bool heeds,
                                                                uint64_t bits, LocksCode locks, unsigned mask) {
    if (bits == 0) return 0;
    const AccessKind kind = kind_of(bits);
    const Slot slot = slot_of(bits);
    const Time time = time_of(bits);
    const bool own = is_own(thread, slot, time);
    if ((mask_of(bits) & mask) == 0) return bits;
    if (kind == AccessKind::kFree) return kUnknown;
    const bool full = own || thread.clocks.full.get(slot) >= time;
    const bool strong = own || (full && thread.clocks.strong.get(slot) >= time);
    const bool same_locks = locks == thread.stamps_locks;
    if (conflicts(Kind, kind) && !strong && (heeds || !(full && (lockless || (same_locks && thread.stamps_exclude))))) {
      return kUnknown;
    }
    if (!covers(Kind, kind) || !(lockless ? full : strong)) return bits;
    const bool superfluous = lockless || same_locks || thread.lockset == kNoLocks;
    if (superfluous) return without_bytes(bits, uint64_t{mask} << PackedStamp::kMaskAt);
    return locks == 0 ? bits : kUnknown;  // nothing protected it, as something protects this
  }

  // The bytes with a write that an increment continues. One that goes hands on what it continued itself.
  [[nodiscard]] static unsigned continued(const uint64_t (&stamps)[kPlaces], const bool (&goes)[kPlaces],
                                          uint32_t second) {
    unsigned continues = 0;
    for (unsigned i = 0; i < kPlaces; ++i) {
      const unsigned at = second >> 2 * i & 3;
      const uint64_t bits = at == kNoPlace ? 0 : stamps[at];
      if (bits == 0 || !is_write(kind_of(bits))) continue;
      const unsigned written = mask_of(bits);
      const unsigned added = (bits >> PackedStamp::kAddsAt & 1) != 0 ? written : 0;
      continues = (continues & ~written) | (goes[at] ? added & continues : written);
    }
    return continues;
  }

  // Where a stamp goes that stays beside a new one in `place`, by where it was: the order then, and its locks.
  struct Keeps {
    uint8_t to;
    uint8_t order;
    uint8_t shift;
    uint32_t locks;
  };
  struct AllKeeps {
    Keeps of[2][kPlaces];

    constexpr AllKeeps() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned from = 0; from < kPlaces; ++from) {
          const unsigned to = from == place ? 2 : from;
          of[place][from] = {static_cast<uint8_t>(to), static_cast<uint8_t>(kNoPlace << 4 | place << 2 | to),
                             static_cast<uint8_t>((to - from) * 8), 0xffu << (from + 1) * 8};
        }
      }
    }
  };
  static const AllKeeps kKeeps;

  // The order of stamps, without that of a place (or with it in another from now on), and that place as the newest.
  struct OrdersAfter {
    uint8_t of[2][kNoPlace + 1][kNoOrder + 1];

    constexpr OrdersAfter() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned order = 0; order <= kNoOrder; ++order) {
          for (unsigned to = 0; to <= kNoPlace; ++to) of[place][to][order] = after(order, place, to);
        }
      }
    }
    static constexpr uint8_t after(unsigned order, unsigned place, unsigned instead) {
      unsigned result = 0;
      unsigned count = 0;
      for (unsigned i = 0; i < kPlaces; ++i) {
        unsigned at = order >> 2 * i & 3;
        if (at == place) at = instead;
        if (at != kNoPlace) result |= at << 2 * count++;
      }
      result |= place << 2 * count++;
      for (; count < kPlaces; ++count) result |= kNoPlace << 2 * count;
      return static_cast<uint8_t>(result);
    }
  };
  static const OrdersAfter kOrdersAfter;

  [[nodiscard, gnu::always_inline]] static unsigned without(unsigned order, unsigned place) {
    for (unsigned i = 0; i < kPlaces; ++i) {
      if ((order >> 2 * i & 3) == place) order |= kNoPlace << 2 * i;
    }
    return order;
  }

  // What is left of a stamp; false: it is another case.
  [[gnu::always_inline]] bool judge(uint64_t& stamp, LocksCode locks) {
    const uint64_t bits = stamp;
    const unsigned common = mask_of(bits) & mask_;
    const AccessKind kind = kind_of(bits);
    const Slot slot = slot_of(bits);
    const Time time = time_of(bits);
    const bool own = is_own(thread_, slot, time);
    if (counts_writes_ && own && time >= thread_.segment_since) adds_ |= mask_of(bits);
    unsigned left = mask_of(bits);
    if (common != 0) {
      if (own && time == thread_.time && covers(kind, kind_)) return false;
      const bool strong = ordered_before(thread_.clocks.strong, thread_, slot, time);
      bool full = strong;
      if (!strong) {
        full = thread_.clocks.full.get(slot) >= time;
        if (conflicts(kind_, kind) &&
            (!full || (!lockless_ && !context_.locksets->protects(thread_.lockset, segments_.at(slot, time, locks))))) {
          return false;
        }
      }
      if (covers(kind_, kind) &&
          (lockless_ ? full
                     : strong && context_.locksets->weaker_or_same(thread_.lockset, segments_.at(slot, time, locks)))) {
        left &= ~mask_;
      }
    }
    if (counts_writes_ && is_write(kind)) {
      const unsigned added = (bits >> PackedStamp::kAddsAt & 1) != 0 ? mask_of(bits) : 0;
      const unsigned handed_on = kind == AccessKind::kFree ? 0 : left | (added & continues_);
      continues_ = (continues_ & ~mask_of(bits)) | (handed_on & mask_of(bits));
    }
    stamp = left == 0 ? 0 : bits ^ uint64_t { mask_of(bits) ^ left } << PackedStamp::kMaskAt;
    return true;
  }

  // What stamps of the thread say now, but for the bytes. (Not from its check, which others may spoil at any time.)
  [[nodiscard, gnu::always_inline]] static uint64_t says(const Thread& thread, AccessKind kind, Where where) {
    return uint64_t{thread.slot} << PackedStamp::kSlotAt | uint64_t{thread.time} << PackedStamp::kTimeAt |
           static_cast<uint64_t>(kind) << PackedStamp::kKindAt | where;
  }
  // Gives the access' bytes to a stamp that says the same.
  bool add_to(uint64_t& stamp);

  const EngineContext& context_;
  const SegmentLocks& segments_;
  Thread& thread_;
  const AccessKind kind_;
  const unsigned mask_;
  const bool lockless_;
  const bool counts_writes_;
  unsigned adds_;           // the bytes that an increment writes
  unsigned continues_ = 0;  // those with a write before ours that it continues
  const uint64_t own_;      // what stamps of such accesses say, but for the bytes
};

inline constexpr GranuleStep::OrdersAfter GranuleStep::kOrdersAfter;
inline constexpr GranuleStep::AllKeeps GranuleStep::kKeeps;

}  // namespace norn
