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

  GranuleStep(const EngineContext& context, const SegmentLocks& segments, const Thread& thread, AccessKind kind,
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
    return others | kOrdersAfter.of[place][false][second & kNoOrder] | locks_in(place, locks);
  }

  // Whether there are stamps of other threads, or in the place where, as a rule, another one has its own.
  [[nodiscard, gnu::always_inline]] static bool has_others(const Thread& thread, const Granule& granule) {
    const unsigned place = thread.slot & 1u;
    auto is_other = [&](unsigned at) __attribute__((always_inline)) {
      const uint64_t bits = granule.stamps[at].load(std::memory_order_relaxed);
      return bits != 0 && slot_of(bits) != thread.slot;
    };
    return granule.stamps[1 - place].load(std::memory_order_relaxed) != 0 || is_other(2) || is_other(place);
  }

  // A short way where nothing is in the granule but up to two stamps of the thread itself, made with the locks that it
  // holds now: of what it keeps to itself, and of most of what it was given. False: it is another case.
  // `where(place)`: the place, false if that is not to be had. `prepare()`: before the granule's first stamp.
  template <AccessKind Kind, class WhereCall, class PrepareCall>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, unsigned mask,
                                                      const WhereCall& where, const PrepareCall& prepare) {
    const unsigned place = thread.slot & 1u;
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    const uint64_t old = granule.stamps[2].load(std::memory_order_relaxed);
    // How the second cell says that there is one stamp, and that there are two.
    const uint32_t one = kNoPlace << 4 | kNoPlace << 2 | place | locks_in(place, thread.stamps_locks);
    const uint32_t two =
        kNoPlace << 4 | place << 2 | 2u | locks_in(place, thread.stamps_locks) | locks_in(2, thread.stamps_locks);
    auto is_so = [&]() __attribute__((always_inline)) {
      if (granule.stamps[1 - place].load(std::memory_order_relaxed) != 0) return false;
      return mine == 0 ? old == 0 : granule.cells[1].load(std::memory_order_relaxed) == (old == 0 ? one : two);
    };
    if ((mine != 0 && !is_own(thread, slot_of(mine), time_of(mine))) || !is_so()) return false;
    if (old != 0 && !is_own(thread, slot_of(old), time_of(old))) return false;

    const AccessKind kind = kind_of(mine);
    const bool now = mine != 0 && time_of(mine) == thread.time;
    // What is there of this very time already is no first access. (A free is told as one.)
    const bool stands = Kind == AccessKind::kFree ? kind == Kind : covers(kind, Kind);
    if (now && stands && (mask_of(mine) & mask) != 0) return false;
    Where found = kNowhere;
    if (!where(found) || found >> PackedStamp::kWhereBits != 0) return false;
    const uint64_t own = says(thread, Kind, found);
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    const uint64_t old_left = left_of<Kind>(old, bytes);
    const uint64_t mine_left = left_of<Kind>(mine, bytes);
    const bool same = is_same(mine, own);
    if (!same && mine_left != 0 && old_left != 0) return false;
    const uint64_t new_old = same || mine_left == 0 ? old_left : mine_left;
    const uint64_t new_mine = (same ? mine : own) | bytes;

    if (mine == 0 && !prepare()) return false;
    if (!GranuleLock::try_lock_simple(granule)) return false;
    const bool still = granule.stamps[place].load(std::memory_order_relaxed) == mine &&
                       granule.stamps[2].load(std::memory_order_relaxed) == old && is_so();
    if (still) [[likely]] {
      granule.stamps[place].store(new_mine, std::memory_order_relaxed);
      if (new_old != old) granule.stamps[2].store(new_old, std::memory_order_relaxed);
      const uint32_t second = new_old == 0 ? one : two;
      if (mine == 0 || second != (old == 0 ? one : two)) granule.cells[1].store(second, std::memory_order_relaxed);
    }
    GranuleLock::unlock_simple(granule);
    return still;
  }

  // The same where there are stamps of other threads too, each of which stays or goes as a whole. What is in the
  // thread's own place and stays moves, if there is room; or it says the same of other bytes.
  template <AccessKind Kind, class WhereCall>
  [[nodiscard, gnu::always_inline]] static bool renew_beside(const Thread& thread, bool lockless, bool counts_writes,
                                                             bool heeds, Granule& granule, unsigned mask,
                                                             bool increments, const WhereCall& where) {
    const unsigned place = thread.slot & 1u;
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    const uint64_t other = granule.stamps[1 - place].load(std::memory_order_relaxed);
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    const bool now = mine != 0 && is_own(thread, slot_of(mine), time_of(mine)) && time_of(mine) == thread.time &&
                     covers(kind_of(mine), Kind);
    const Fate fate_of_mine =
        now ? Fate::kStays : fate_of<Kind>(thread, lockless, heeds, mine, locks_at(second, place), mask);
    const Fate fate_of_other = fate_of<Kind>(thread, lockless, heeds, other, locks_at(second, 1 - place), mask);
    const Fate fate_of_third = fate_of<Kind>(thread, lockless, heeds, third, locks_at(second, 2), mask);
    if (fate_of_mine == Fate::kUnclear || fate_of_other == Fate::kUnclear || fate_of_third == Fate::kUnclear) {
      return false;
    }
    const bool moves = !now && fate_of_mine == Fate::kStays;
    const bool other_stays = fate_of_other == Fate::kStays;
    const bool third_stays = fate_of_third == Fate::kStays;
    if (moves && third_stays) return false;
    // In which order they will be: the thread's own last.
    unsigned order = second & kNoOrder;
    if (other != 0 && !other_stays) order = without(order, 1 - place);
    if (third != 0 && !third_stays) order = without(order, 2);
    const unsigned after = kOrdersAfter.of[place][moves][order];
    const unsigned count = (other_stays ? 1u : 0u) + (third_stays || moves ? 1u : 0u);
    if (after >> 2 * count != (kNoOrder >> 2 * (count + 1) << 2 | place)) return false;
    if (now && (kind_of(mine) != Kind || (mask_of(mine) & mask) != 0 || after != (second & kNoOrder))) return false;

    unsigned adds = 0;
    if (counts_writes) {
      auto touched = [&](uint64_t bits) __attribute__((always_inline)) {
        return bits != 0 && slot_of(bits) == thread.slot && time_of(bits) >= thread.segment_since ? mask_of(bits) : 0u;
      };
      adds = mask & (increments ? mask : touched(mine) | touched(other) | touched(third));
      if (adds != 0) {
        uint64_t stamps[kPlaces] = {};
        bool goes[kPlaces] = {};
        stamps[place] = mine, goes[place] = fate_of_mine == Fate::kGoes;
        stamps[1 - place] = other, goes[1 - place] = !other_stays;
        stamps[2] = third, goes[2] = !third_stays;
        adds &= continued(stamps, goes, second);
      }
      if (adds != 0 && (adds != mask || now)) return false;
    }
    Where found = kNowhere;
    if (!where(found) || found >> PackedStamp::kWhereBits != 0) return false;
    const uint64_t fresh = says(thread, Kind, found);
    if (now && !is_same(mine, fresh)) return false;
    const uint64_t stamp =
        (now ? mine : fresh) | uint64_t{mask} << PackedStamp::kMaskAt | uint64_t{adds != 0} << PackedStamp::kAddsAt;
    const uint64_t new_other = other_stays ? other : 0;
    const uint64_t new_third = moves ? mine : third_stays ? third : 0;
    uint32_t new_second = after | locks_in(place, thread.stamps_locks);
    if (new_other != 0) new_second |= locks_in(1 - place, locks_at(second, 1 - place));
    if (new_third != 0) new_second |= locks_in(2, locks_at(second, moves ? place : 2));
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
  // What an access of the same thread with the same locks leaves of a stamp. 0 of 0.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static uint64_t left_of(uint64_t stamp, uint64_t bytes) {
    if (!covers(Kind, kind_of(stamp))) return stamp;
    const uint64_t left = stamp & ~bytes;
    return mask_of(left) == 0 ? 0 : left;
  }
  static unsigned parity(uint64_t bits) { return static_cast<unsigned>(bits >> PackedStamp::kSlotAt & 1); }

  // What becomes of a stamp by an access.
  enum class Fate : uint8_t { kGoes, kStays, kUnclear };

  // None counts as one that goes. Unclear is what races, what goes in part, and what takes longer to find out.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static Fate fate_of(const Thread& thread, bool lockless, bool heeds, uint64_t bits,
                                                        LocksCode locks, unsigned mask) {
    if (bits == 0) return Fate::kGoes;
    const AccessKind kind = kind_of(bits);
    const Slot slot = slot_of(bits);
    const Time time = time_of(bits);
    const bool own = slot == thread.slot;
    if (own && (!is_own(thread, slot, time) || (time == thread.time && covers(kind, Kind)))) return Fate::kUnclear;
    if ((mask_of(bits) & mask) == 0) return Fate::kStays;
    if (kind == AccessKind::kFree) return Fate::kUnclear;
    const bool full = own || thread.clocks.full.get(slot) >= time;
    const bool strong = own || (full && thread.clocks.strong.get(slot) >= time);
    const bool same_locks = locks == thread.stamps_locks;
    if (conflicts(Kind, kind) && !strong && (heeds || !(full && (lockless || (same_locks && thread.stamps_exclude))))) {
      return Fate::kUnclear;
    }
    if (!covers(Kind, kind) || !(lockless ? full : strong)) return Fate::kStays;
    const bool superfluous = lockless || same_locks || thread.lockset == kNoLocks;
    return superfluous && (mask_of(bits) & ~mask) == 0 ? Fate::kGoes : Fate::kUnclear;
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

  // The order of stamps, without that of a place (or with it in the third from now on), and that place as the newest.
  struct OrdersAfter {
    uint8_t of[2][2][kNoOrder + 1];

    constexpr OrdersAfter() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned order = 0; order <= kNoOrder; ++order) {
          of[place][false][order] = after(order, place, kNoPlace);
          of[place][true][order] = after(order, place, 2);
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
  // Whether a stamp says that, of other bytes.
  [[nodiscard, gnu::always_inline]] static bool is_same(uint64_t bits, uint64_t own) {
    return bits != 0 && (bits & ~(uint64_t{0xff} << PackedStamp::kMaskAt)) == own;
  }

  const EngineContext& context_;
  const SegmentLocks& segments_;
  const Thread& thread_;
  const AccessKind kind_;
  const unsigned mask_;
  const bool lockless_;
  const bool counts_writes_;
  unsigned adds_;           // the bytes that an increment writes
  unsigned continues_ = 0;  // those with a write before ours that it continues
  const uint64_t own_;      // what stamps of such accesses say, but for the bytes
};

inline constexpr GranuleStep::OrdersAfter GranuleStep::kOrdersAfter;

}  // namespace norn
