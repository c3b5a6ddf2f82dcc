// What most accesses do to a granule: nothing is in its list, no race is found, and what is left has room in it.
//
// This is HybridEngine::next() and write_granule() once more, on stamps as they lie in the granule: the way of nearly
// all accesses that are the first of their kind at their thread's time. What it cannot do it leaves to them, and then
// has done nothing.
#pragma once

#include "core/engine/engine.h"
#include "core/order/lockset.h"
#include "core/shadow/granule.h"

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

  [[nodiscard]] static constexpr uint32_t locks_in(unsigned place, LocksCode locks) {
    return static_cast<uint32_t>(uint64_t{locks} << (place + 1) * 8);
  }

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

  // The short way of nearly all accesses: what is ordered before goes, as far as it is covered, and the rest has room.
  // The thread is_plain(). False: it is another case, and nothing was done. `Whole`: all bytes of the granule.
  // `prepare()`: before the granule's first stamp.
  template <AccessKind Kind, bool Whole, class PrepareCall>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, unsigned mask,
                                                      Where where, const PrepareCall& prepare) {
    const uint64_t cells = GranuleLock::cells_of(granule);
    if (static_cast<uint32_t>(cells) != 0) return false;
    const unsigned place = thread.slot & 1u;
    const uint32_t now = uint32_t{thread.slot} << PackedStamp::kTimeBits | thread.time;
    constexpr uint64_t kBytes = uint64_t{0xff} << PackedStamp::kMaskAt;
    const uint64_t bytes = Whole ? kBytes : uint64_t{mask} << PackedStamp::kMaskAt;
    bool done = false;
    // Whether it stays, all of it or some. False: it is another case, or done.
    unsigned staying = 0;
    uint64_t third_left = 0, other_left = 0, mine_left = 0;
    const auto judge = [&](uint64_t bits, unsigned at, unsigned stays, uint64_t& left) __attribute__((always_inline)) {
      const auto stay_if = [&](bool may) __attribute__((always_inline)) {
        staying |= stays;
        left = bits;
        return may;
      };
      if (bits == 0) return true;
      if (!Whole && (bits & bytes) == 0) return stay_if(true);
      const auto moment = static_cast<uint32_t>(bits >> PackedStamp::kTimeAt);
      if (moment == now && is_one_of<kinds_that_stand_for(Kind)>(bits)) {
        done = (bits & bytes) == bytes;
        return false;
      }
      if (now - moment > thread.time - thread.own_since &&
          thread.decides->get_near(moment >> PackedStamp::kTimeBits) < (moment & PackedStamp::kTimeLimit)) {
        return stay_if(!is_one_of<conflicts_of(Kind)>(bits));
      }
      if (!is_one_of<kinds_covered_by(Kind)>(bits)) return stay_if(is_one_of<kAllButFree>(bits));
      // (Nothing protects a birth, and nothing needs to: it is never predicted.)
      if (!thread.stamps_bare && kind_of(bits) != AccessKind::kBirth) {
        const auto locks = static_cast<LocksCode>(cells >> (at + 5) * 8);
        // Nothing protected it, as something protects this.
        if (locks != thread.stamps_locks) return stay_if(locks == 0);
      }
      if (!Whole) {
        left = without_bytes(bits, bytes);
        staying |= left != 0 ? stays : 0;
      }
      return true;
    };
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    if (!judge(third, 2, kThirdStays, third_left)) return done;
    const uint64_t other = granule.stamps[place ^ 1].load(std::memory_order_relaxed);
    if (!judge(other, place ^ 1, kOtherStays, other_left)) return done;
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    if (!judge(mine, place, kMineStays, mine_left)) return done;

    uint64_t fresh =
        uint64_t{now} << PackedStamp::kTimeAt | static_cast<uint64_t>(Kind) << PackedStamp::kKindAt | where;
    if (!Whole && says_same(mine, fresh)) {
      // Its bytes go to what the thread did last.
      fresh = with_bytes(thread, mine, fresh, mask);
      const auto order = static_cast<unsigned>(cells >> 32) & kNoOrder;
      if (fresh == kUnknown || fresh == kApart || kOrdersAfter.of[place][kNoPlace][order] != order) return false;
      staying &= ~kMineStays;
    }
    fresh |= bytes;
    uint64_t new_cells = uint64_t{thread.stamps_alone} << 32;
    uint64_t new_other = 0, new_third = 0;
    if (staying != 0) {
      // That of the thread itself goes to the third place, where its check may look for it, and that to the other one.
      const auto second = static_cast<uint32_t>(cells >> 32);
      if ((staying == kMineStays && second == thread.stamps_alone) ||
          (staying == kThirdStays && second == thread.stamps_two)) {
        new_cells = uint64_t{thread.stamps_two} << 32;
      } else {
        const uint32_t among = second_among(thread, place, staying, second);
        if (among == 0) return false;
        new_cells = uint64_t{among} << 32;
      }
      if ((staying & kThirdStays) != 0) new_third = Whole ? third : third_left;
      if ((staying & kOtherStays) != 0) new_other = Whole ? other : other_left;
      if ((staying & kMineStays) != 0) {
        if ((staying & kThirdStays) != 0) new_other = new_third;
        new_third = Whole ? mine : mine_left;
      }
    } else if ((mine | other | third) == 0 && !prepare()) {
      return false;
    }
    return put_instead(granule, place, cells, {mine, other, third}, new_cells, {fresh, new_other, new_third});
  }

  // For many granules in a row, all bytes of each: those in which there is nothing, or nothing but what the thread did
  // before with the same locks, at most two stamps.
  template <AccessKind Kind>
  class Row {
   public:
    Row(const Thread& thread, Where where)
        : alone_(uint64_t{thread.stamps_alone} << 32),
          two_(uint64_t{thread.stamps_two} << 32),
          fresh_(says(thread, Kind, where) | uint64_t{0xff} << PackedStamp::kMaskAt),
          past_(thread.time - thread.own_since),
          place_(thread.slot & 1u) {}

    // Whether the access was made already, as the newest of the thread's.
    [[nodiscard, gnu::always_inline]] bool stands(const Granule& granule) const {
      constexpr uint64_t kBits = Kind == AccessKind::kWrite ? PackedStamp::kOfWrites : PackedStamp::kOfReads;
      return ((granule.stamps[place_].load(std::memory_order_relaxed) ^ fresh_) & kBits) == 0;
    }
    // False: it is another case, and nothing was done.
    [[nodiscard, gnu::always_inline]] bool renew(Granule& granule) const {
      const uint64_t cells = GranuleLock::cells_of(granule);
      const uint64_t mine = granule.stamps[place_].load(std::memory_order_relaxed);
      const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
      // A granule with one stamp has nothing elsewhere.
      if (!is_past(mine) || (cells != alone_ && (cells != two_ || !is_past(third)))) return false;
      uint64_t new_cells = alone_, new_third = 0;
      if (Kind == AccessKind::kRead) {
        const bool covered = is_one_of<kinds_covered_by(Kind)>(mine);
        if (!covered && cells == two_) return false;
        new_cells = covered ? cells : two_;
        new_third = covered ? third : mine;
      }
      if (!GranuleLock::try_lock_both(granule, cells)) return false;
      if (granule.stamps[place_].load(std::memory_order_relaxed) != mine ||
          granule.stamps[2].load(std::memory_order_relaxed) != third) [[unlikely]] {
        GranuleLock::unlock_both(granule, cells);
        return false;
      }
      granule.stamps[place_].store(fresh_, std::memory_order_relaxed);
      granule.stamps[2].store(new_third, std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, new_cells);
      return true;
    }

    // Of a granule that is_empty() and prepared for its first stamp.
    [[nodiscard, gnu::always_inline]] bool begin(Granule& granule) const {
      const uint64_t cells = GranuleLock::cells_of(granule);
      return static_cast<uint32_t>(cells) == 0 && put_instead(granule, place_, cells, {}, alone_, {fresh_, 0, 0});
    }

   private:
    // Of the thread itself, at a time before the present.
    [[nodiscard, gnu::always_inline]] bool is_past(uint64_t bits) const {
      const uint64_t moments = (fresh_ >> PackedStamp::kTimeAt) - (bits >> PackedStamp::kTimeAt) - 1;
      return moments < past_ && is_one_of<kAllButFree>(bits);
    }

    uint64_t alone_, two_, fresh_, past_;
    unsigned place_;
  };

  // The second cell with a new stamp of the thread beside what stays of those it tells of. 0: there is no room.
  [[nodiscard, gnu::always_inline]] static uint32_t second_among(const Thread& thread, unsigned place, unsigned staying,
                                                                 uint32_t second) {
    const uint32_t order = kOrdersAmong.of[place][staying][second & kNoOrder];
    if (order == 0) return 0;
    const Moves& moves = kMoves.of[place][staying];
    return (thread.stamps_alone & ~kNoOrder) | order | (second & moves.stay) |
           __builtin_rotateleft32(second & moves.mine, moves.mine_by) |
           __builtin_rotateleft32(second & moves.third, moves.third_by);
  }

  // What a granule has: in the place of the thread's parity, in the other, and the third.
  struct Three {
    uint64_t mine = 0, other = 0, third = 0;
  };
  // Puts other stamps and cells into a granule, if it still has these. `place`: that of the thread's parity.
  [[nodiscard, gnu::always_inline]] static bool put_instead(Granule& granule, unsigned place, uint64_t cells,
                                                            const Three& found, uint64_t new_cells,
                                                            const Three& fresh) {
    if (!GranuleLock::try_lock_both(granule, cells)) return false;
    if (granule.stamps[place].load(std::memory_order_relaxed) != found.mine ||
        granule.stamps[place ^ 1].load(std::memory_order_relaxed) != found.other ||
        granule.stamps[2].load(std::memory_order_relaxed) != found.third) [[unlikely]] {
      GranuleLock::unlock_both(granule, cells);
      return false;
    }
    granule.stamps[place].store(fresh.mine, std::memory_order_relaxed);
    granule.stamps[place ^ 1].store(fresh.other, std::memory_order_relaxed);
    granule.stamps[2].store(fresh.third, std::memory_order_relaxed);
    GranuleLock::unlock_both(granule, new_cells);
    return true;
  }

  // What the thread leaves where memory is born, in all bytes.
  [[nodiscard]] static uint64_t birth_of(const Thread& thread, Where where) {
    return says(thread, AccessKind::kBirth, where) | uint64_t{0xff} << PackedStamp::kMaskAt;
  }

  // The second cell of a granule with one stamp, or with two of one thread and the same locks.
  [[nodiscard]] static uint32_t alone(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return kNoPlace << 4 | kNoPlace << 2 | place | locks_in(place, locks);
  }
  [[nodiscard]] static uint32_t of_two(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return kNoPlace << 4 | place << 2 | 2u | locks_in(place, locks) | locks_in(2, locks);
  }

  // A longer one, for what is ordered by locks alone, and for writes that continue others'. What is in the thread's own
  // place and stays moves, if there is room; or it says the same of other bytes. `where(place)`: the place, false if
  // that is not to be had.
  template <AccessKind Kind, class WhereCall>
  [[nodiscard, gnu::always_inline]] static bool renew_beside(const Thread& thread, bool lockless, bool counts_writes,
                                                             bool heeds, Granule& granule, unsigned mask,
                                                             bool increments, const WhereCall& where) {
    const unsigned place = thread.slot & 1u;
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    const uint64_t other = granule.stamps[1 - place].load(std::memory_order_relaxed);
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    if ((mine | other | third) == 0) return false;  // the first needs more
    if (const unsigned done =
            stamped_now(thread, Kind, mine) | stamped_now(thread, Kind, other) | stamped_now(thread, Kind, third);
        (done & mask) != 0) {
      // Somebody else may have written since.
      if (counts_writes &&
          ((written_by_others(thread, mine) | written_by_others(thread, other) | written_by_others(thread, third)) &
           mask) != 0) {
        return false;
      }
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

  // The bytes of an access that its thread has not stamped at its present time; all if that does not matter, somebody
  // else having written since, perhaps.
  [[nodiscard]] static unsigned fresh_bytes(const Thread& thread, const Granule& granule, AccessKind kind,
                                            unsigned mask, bool counts_writes) {
    unsigned done = 0, others = 0;
    for (const std::atomic<uint64_t>& stamp : granule.stamps) {
      const uint64_t bits = stamp.load(std::memory_order_relaxed);
      done |= stamped_now(thread, kind, bits);
      if (counts_writes) others |= written_by_others(thread, bits);
    }
    return (others & mask) == 0 ? mask & ~done : mask;
  }

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
  friend class AtomicStep;

  [[nodiscard, gnu::always_inline]] static uint64_t without_bytes(uint64_t stamp, uint64_t bytes) {
    const uint64_t left = stamp & ~bytes;
    return mask_of(left) == 0 ? 0 : left;
  }

  // Which bytes a stamp says that the thread has accessed at its present time already. (A free is told as one.)
  [[nodiscard, gnu::always_inline]] static unsigned stamped_now(const Thread& thread, AccessKind now, uint64_t bits) {
    const AccessKind kind = kind_of(bits);
    const bool stands = now == AccessKind::kFree ? kind == now : covers(kind, now);
    return stands && slot_of(bits) == thread.slot && time_of(bits) == thread.time ? mask_of(bits) : 0u;
  }
  [[nodiscard, gnu::always_inline]] static unsigned written_by_others(const Thread& thread, uint64_t bits) {
    return is_write(kind_of(bits)) && slot_of(bits) != thread.slot ? mask_of(bits) : 0u;
  }

  // Sets of kinds, a bit each.
  static constexpr unsigned kAllButFree = 0b101111;
  [[nodiscard]] static constexpr unsigned kinds_covered_by(AccessKind kind) {
    unsigned covered = 0;
    for (unsigned k = 0; k <= static_cast<unsigned>(AccessKind::kBirth); ++k) {
      if (k != static_cast<unsigned>(AccessKind::kFree) && covers(kind, static_cast<AccessKind>(k))) covered |= 1u << k;
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
    constexpr unsigned kReads = 0b000101, kAll = 0b111111;
    if constexpr (Set == kAll) return true;
    if constexpr (Set == kReads) return (bits & uint64_t{0b101} << PackedStamp::kKindAt) == 0;
    if constexpr (Set == (kAll ^ kReads)) return (bits & uint64_t{0b101} << PackedStamp::kKindAt) != 0;
    if constexpr (Set == kAllButFree) {
      return (bits & uint64_t{0b101} << PackedStamp::kKindAt) != uint64_t{0b100} << PackedStamp::kKindAt;
    }
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
    if (is_of_life(kind)) return kUnknown;
    const bool full = own || thread.clocks.full.get(slot) >= time;
    const bool strong = own || (full && thread.clocks.strong.get(slot) >= time);
    const bool same_locks = locks == thread.stamps_locks;
    // A write may take out what another has read (order.md).
    const bool matters = heeds && (is_write(Kind) ? kind == AccessKind::kRead : true);
    if (conflicts(Kind, kind) && !strong &&
        (matters || !(full && (lockless || (same_locks && thread.stamps_exclude))))) {
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

  // Which stamps stay beside a new one: that in its place, which goes to the third; the other; the third, which makes
  // room for that.
  static constexpr unsigned kMineStays = 1, kOtherStays = 2, kThirdStays = 4, kAllStay = 7;
  // What that means for their locks, as bits of the second cell, and by how much these turn.
  struct Moves {
    uint32_t stay, mine, third;
    unsigned mine_by, third_by;
  };
  struct AllMoves {
    Moves of[2][8];

    constexpr AllMoves() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        const unsigned other = 1 - place;
        for (unsigned staying = 0; staying < 8; ++staying) {
          Moves& moves = of[place][staying];
          const auto locks = [&](unsigned bit, unsigned at) {
            return (staying & bit) != 0 ? locks_in(at, LocksCode{0xff}) : 0;
          };
          moves.stay = locks(kOtherStays, other);
          moves.mine = locks(kMineStays, place);
          moves.mine_by = (2 - place) * 8;
          ((staying & kMineStays) != 0 ? moves.third : moves.stay) |= locks(kThirdStays, 2);
          moves.third_by = (32 + other * 8 - 2 * 8) % 32;
        }
      }
    }
  };
  static const AllMoves kMoves;

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

  // The same of those that stay, as AllMoves has them. 0: there is no room.
  struct OrdersAmong {
    uint8_t of[2][8][kNoOrder + 1];

    constexpr OrdersAmong() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned staying = 0; staying < 8; ++staying) {
          for (unsigned order = 0; order <= kNoOrder; ++order) {
            of[place][staying][order] = staying == kAllStay ? 0 : among(place, staying, order);
          }
        }
      }
    }
    static constexpr uint8_t among(unsigned place, unsigned staying, unsigned order) {
      const bool moves = (staying & kMineStays) != 0;
      unsigned left = 0;
      for (unsigned i = 0; i < kPlaces; ++i) {
        const unsigned at = order >> 2 * i & 3;
        unsigned to = kNoPlace;
        if (at == place && moves) to = 2;
        if (at == 1 - place && (staying & kOtherStays) != 0) to = at;
        if (at == 2 && (staying & kThirdStays) != 0) to = moves ? 1 - place : 2;
        left |= to << 2 * i;
      }
      return OrdersAfter::after(left, place, kNoPlace);
    }
  };
  static const OrdersAmong kOrdersAmong;

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
            (!full || (!lockless_ && kind != AccessKind::kBirth &&
                       !context_.locksets->protects(thread_.lockset, segments_.at(slot, time, locks))))) {
          return false;
        }
      }
      if (covers(kind_, kind) &&
          (lockless_ || kind == AccessKind::kBirth
               ? full
               : strong && context_.locksets->weaker_or_same(thread_.lockset, segments_.at(slot, time, locks)))) {
        left &= ~mask_;
      }
    }
    if (counts_writes_ && is_write(kind)) {
      const unsigned added = (bits >> PackedStamp::kAddsAt & 1) != 0 ? mask_of(bits) : 0;
      const unsigned handed_on = is_of_life(kind) ? 0 : left | (added & continues_);
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
inline constexpr GranuleStep::OrdersAmong GranuleStep::kOrdersAmong;
inline constexpr GranuleStep::AllMoves GranuleStep::kMoves;

}  // namespace norn
