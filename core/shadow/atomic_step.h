// What most atomics do to a granule: those before them lie in it (core/shadow/granule.h), no race is found, and what is
// left has room there.
//
// This is HybridEngine::next() once more, as core/shadow/step.h is, for the kinds of atomics: they do not conflict with
// each other, and a stamp of another thread's stays unless it is ordered before. What is in the list stays there,
// superfluous or not.
#pragma once

#include "core/shadow/overflow_list.h"
#include "core/shadow/step.h"

namespace norn {

class AtomicStep {
 public:
  // The short way of nearly all, as GranuleStep::renew() is of plain accesses: it looks first, and locks afterwards.
  // The granule has this list, which has no stamps, and those in it are of atomics, of others' passed times, or of
  // other bytes. False: it is another case, and nothing was done. The thread has begun to stamp, and its stamps pack.
  // `follows`: in which order bytes were written counts. `accessed`: those that the thread accessed in its segment, as
  // far as no stamp in the granule says it. `heeds`: a read may be handed something over.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, HistoryId list,
                                                      unsigned mask, Where where, bool follows, unsigned accessed,
                                                      bool heeds) {
    const uint64_t cells = GranuleLock::cells_of(granule);
    if (static_cast<uint32_t>(cells) != list || (cells >> 32 & kInRows) != 0) return false;
    constexpr bool kWrites = Kind == AccessKind::kAtomicWrite;
    const unsigned place = thread.slot & 1u;
    const uint32_t now = uint32_t{thread.slot} << PackedStamp::kTimeBits | thread.time;
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    const auto order = static_cast<unsigned>(cells >> 32) & GranuleStep::kNoOrder;
    bool done = false;
    bool cut = false;        // a write that goes began what the next continued
    uint64_t continues = 0;  // the bytes of writes that stay
    unsigned staying = 0;
    const auto judge = [&](uint64_t bits, unsigned at, unsigned stays, uint64_t& left) __attribute__((always_inline)) {
      if (bits == 0) return true;
      if (GranuleStep::kind_of(bits) == AccessKind::kBirth) return false;
      const auto moment = static_cast<uint32_t>(bits >> PackedStamp::kTimeAt);
      const bool own_slot = moment >> PackedStamp::kTimeBits == thread.slot;
      if (kWrites && own_slot && GranuleStep::time_of(bits) >= thread.segment_since) {
        accessed |= GranuleStep::mask_of(bits);
      }
      const bool write = (bits >> PackedStamp::kKindAt & 1) != 0;
      const auto stay_if = [&](bool may) __attribute__((always_inline)) {
        staying |= stays;
        left = bits;
        if (kWrites && write) continues |= bits;
        return may;
      };
      if ((bits & bytes) == 0) return stay_if(true);
      if (moment == now) {
        const bool all = (bits & bytes) == bytes;
        if (!kWrites) {
          done = all;
          return false;
        }
        if (GranuleStep::kind_of(bits) == Kind) {
          // With a write of another after it, it is to be the newest again.
          if (!follows || newest_of(order) == at) done = all;
          if (done || !all) return false;
        }
      }
      if (now - moment > thread.time - thread.own_since &&
          thread.decides->get_near(moment >> PackedStamp::kTimeBits) < (moment & PackedStamp::kTimeLimit)) {
        if (own_slot || (heeds && write)) return false;
        return stay_if(!GranuleStep::is_one_of<conflicts_of(Kind)>(bits));
      }
      if (!GranuleStep::is_one_of<GranuleStep::kinds_covered_by(Kind)>(bits)) {
        return stay_if(GranuleStep::is_one_of<GranuleStep::kAllButFree>(bits));
      }
      if (!thread.stamps_bare) {
        const auto locks = static_cast<LocksCode>(cells >> (at + 5) * 8);
        // Nothing protected it, as something protects this.
        if (locks != thread.stamps_locks) return stay_if(locks == 0);
      }
      if (kWrites && write && (bits >> PackedStamp::kAddsAt & 1) == 0) cut = true;
      left = GranuleStep::without_bytes(bits, bytes);
      if (left != 0) {
        staying |= stays;
        if (kWrites && write) continues |= left;
      }
      return true;
    };
    uint64_t third_left = 0, other_left = 0, mine_left = 0;
    const uint64_t mine = granule.stamps[place].load(std::memory_order_relaxed);
    if (!judge(mine, place, GranuleStep::kMineStays, mine_left)) return done;
    const uint64_t other = granule.stamps[place ^ 1].load(std::memory_order_relaxed);
    if (!judge(other, place ^ 1, GranuleStep::kOtherStays, other_left)) return done;
    const uint64_t third = granule.stamps[2].load(std::memory_order_relaxed);
    if (!judge(third, 2, GranuleStep::kThirdStays, third_left)) return done;
    if (list == kUntouched && (mine | other | third) == 0) return false;  // the first needs more

    uint64_t fresh =
        uint64_t{now} << PackedStamp::kTimeAt | static_cast<uint64_t>(Kind) << PackedStamp::kKindAt | where | bytes;
    if (kWrites && follows) {
      const uint64_t adds = continues & uint64_t{accessed} << PackedStamp::kMaskAt & bytes;
      if (adds != 0) {
        if (cut || adds != bytes) return false;  // how old they are counts
        fresh |= uint64_t{1} << PackedStamp::kAddsAt;
      }
    }
    uint64_t new_cells = uint64_t{thread.stamps_alone} << 32 | list;
    uint64_t new_other = other_left, new_third = third_left;
    if (staying != 0) {
      const uint32_t among = GranuleStep::second_among(thread, place, staying, static_cast<uint32_t>(cells >> 32));
      if (among == 0) return false;
      new_cells = uint64_t{among} << 32 | list;
      if ((staying & GranuleStep::kMineStays) != 0) {
        if ((staying & GranuleStep::kThirdStays) != 0) new_other = third_left;
        new_third = mine_left;
      }
    }
    return GranuleStep::put_instead(granule, place, cells, {mine, other, third}, new_cells,
                                    {fresh, new_other, new_third});
  }

  AtomicStep(const EngineContext& context, const SegmentLocks& segments, const Thread& thread, const WordAccess& access,
             unsigned spun)
      : context_(context),
        segments_(segments),
        thread_(thread),
        access_(access),
        lockless_(context.options->engine == EngineKind::kHb),
        follows_(is_write(access.kind) && follows_writes(*context.options)),
        fresh_(access.mask),
        accessed_(access.increments ? access.mask : spun) {}

  // Under the granule's lock. False: it is another case, and nothing was done. `spun` (above): the bytes that were
  // spin-read in the present segment.
  [[nodiscard]] bool take(Granule& granule, const StampList& listed) {
    for (unsigned i = 0; i < listed.room(); ++i) {
      if (!listed.is_room(i) && !judge_listed(listed.at(i))) return false;
    }
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    // Oldest first; after the first place that is empty there is none. In variables of their own, as in
    // GranuleStep::take().
    auto stamp_at = [&](unsigned place) {
      return place == GranuleStep::kNoPlace ? 0 : granule.stamps[place].load(std::memory_order_relaxed);
    };
    uint64_t a = stamp_at(second & 3);
    uint64_t b = stamp_at(second >> 2 & 3);
    uint64_t c = stamp_at(second >> 4 & 3);
    LocksCode a_locks = GranuleStep::locks_at(second, second & 3);
    LocksCode b_locks = GranuleStep::locks_at(second, second >> 2 & 3);
    const LocksCode c_locks = GranuleStep::locks_at(second, second >> 4 & 3);
    find_fresh(a);
    find_fresh(b);
    find_fresh(c);
    if (fresh_ == 0) return true;
    if (fresh_ != access_.mask || !judge(a, a_locks) || !judge(b, b_locks) || !judge(c, c_locks)) return false;
    const unsigned adds = follows_ ? accessed_ & continues_ & access_.mask : 0;
    if (adds != 0 && adds != access_.mask) return false;

    const uint64_t fresh =
        uint64_t{thread_.slot} << PackedStamp::kSlotAt | uint64_t{thread_.time} << PackedStamp::kTimeAt |
        uint64_t{access_.mask} << PackedStamp::kMaskAt | static_cast<uint64_t>(access_.kind) << PackedStamp::kKindAt |
        uint64_t{adds != 0} << PackedStamp::kAddsAt | access_.where;
    const LocksCode locks = thread_.stamps_locks;
    if (a != 0 && b != 0 && c != 0) return false;
    if (b == 0) b = c, b_locks = c_locks, c = 0;
    if (a == 0) a = b, a_locks = b_locks, b = c, b_locks = c_locks;
    if (a == 0) {
      GranuleStep::put(granule, {fresh, locks}, {}, {});
    } else if (b == 0) {
      GranuleStep::put(granule, {a, a_locks}, {fresh, locks}, {});
    } else {
      GranuleStep::put(granule, {a, a_locks}, {b, b_locks}, {fresh, locks});
    }
    return true;
  }

 private:
  // The place of the newest stamp.
  [[nodiscard, gnu::always_inline]] static unsigned newest_of(unsigned order) {
    const unsigned third = order >> 4, second = order >> 2 & 3;
    return third != GranuleStep::kNoPlace ? third : second != GranuleStep::kNoPlace ? second : order & 3;
  }

  [[gnu::always_inline]] void find_fresh(uint64_t bits) {
    if (bits == 0) return;
    find_fresh(GranuleStep::slot_of(bits), GranuleStep::time_of(bits), GranuleStep::kind_of(bits),
               GranuleStep::mask_of(bits));
  }
  // As HybridEngine::fresh_bytes() and accessed_in_segment() do, stamp by stamp, oldest first.
  [[gnu::always_inline]] void find_fresh(Slot slot, Time time, AccessKind kind, unsigned mask) {
    if (slot != thread_.slot) {
      if (follows_ && is_write(kind)) fresh_ |= access_.mask & mask;
      return;
    }
    if (time == thread_.time && covers(kind, access_.kind)) fresh_ &= ~mask;
    if (time >= thread_.segment_since) accessed_ |= mask;
  }

  // What the thread itself has there of atomics is better taken away.
  [[nodiscard]] bool judge_listed(const Stamp& stamp) {
    const bool own = is_own(thread_, stamp.slot, stamp.time);
    if (stamp.slot == thread_.slot && (!own || stamp.time == thread_.time || covers(access_.kind, stamp.kind))) {
      return false;
    }
    if (is_of_life(stamp.kind) || !HybridEngine::agrees(context_, thread_, stamp, access_)) return false;
    find_fresh(stamp.slot, stamp.time, stamp.kind, stamp.mask);
    if (is_write(stamp.kind)) continues_ |= stamp.mask;
    return true;
  }

  // What is left of a stamp, 0 of 0; false: it is another case.
  [[nodiscard, gnu::always_inline]] bool judge(uint64_t& bits, LocksCode locks) {
    if (bits == 0) return true;
    const unsigned mask = GranuleStep::mask_of(bits);
    const AccessKind kind = GranuleStep::kind_of(bits);
    const Slot slot = GranuleStep::slot_of(bits);
    const Time time = GranuleStep::time_of(bits);
    if (is_of_life(kind)) return false;
    unsigned left = mask;
    if ((mask & access_.mask) != 0) {
      const bool strong = ordered_before(thread_.clocks.strong, thread_, slot, time);
      const bool full = strong || thread_.clocks.full.get(slot) >= time;
      if (!strong) {
        if (slot == thread_.slot) return false;
        if (conflicts(access_.kind, kind) && !(full && is_protected(slot, time, locks))) return false;
      }
      if (covers(access_.kind, kind) && (lockless_ ? full : strong && is_no_better(slot, time, locks))) {
        left &= ~access_.mask;
      }
    }
    if (is_write(kind)) {
      const bool added = (bits >> PackedStamp::kAddsAt & 1) != 0;
      continues_ = (continues_ & ~mask) | ((left | (added ? continues_ : 0)) & mask);
    }
    bits = left == 0 ? 0 : bits ^ uint64_t { mask ^ left } << PackedStamp::kMaskAt;
    return true;
  }
  [[nodiscard]] bool is_protected(Slot slot, Time time, LocksCode locks) const {
    return lockless_ || context_.locksets->protects(thread_.lockset, segments_.at(slot, time, locks));
  }
  // Whether the access is protected no better.
  [[nodiscard]] bool is_no_better(Slot slot, Time time, LocksCode locks) const {
    return thread_.lockset == kNoLocks || (locks == thread_.stamps_locks && locks != SegmentLocks::kOfItsTime) ||
           context_.locksets->weaker_or_same(thread_.lockset, segments_.at(slot, time, locks));
  }

  const EngineContext& context_;
  const SegmentLocks& segments_;
  const Thread& thread_;
  const WordAccess& access_;
  const bool lockless_;
  const bool follows_;
  unsigned fresh_;          // the bytes that were not stamped by this very segment yet
  unsigned accessed_;       // the bytes that the thread accessed in it
  unsigned continues_ = 0;  // the bytes with a write before ours that an increment continues
};

}  // namespace norn
