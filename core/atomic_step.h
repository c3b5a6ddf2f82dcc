// What most atomics do to a granule: those before them lie in it (core/granule.h), no race is found, and what is left
// has room there.
//
// This is HybridEngine::next() once more, as core/step.h is, for the kinds of atomics: they do not conflict with each
// other, and a stamp of another thread's stays unless it is ordered before. What is in the list stays there,
// superfluous or not.
#pragma once

#include "core/stamp_list.h"
#include "core/step.h"

namespace norn {

class AtomicStep {
 public:
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
    if (stamp.kind == AccessKind::kFree || !HybridEngine::agrees(context_, thread_, stamp, access_)) return false;
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
    if (kind == AccessKind::kFree) return false;
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
