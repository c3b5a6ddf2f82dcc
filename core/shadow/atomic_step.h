// Paths 1 and 3 of atomics (core/shadow/shadow_store.h): those before them lie in the granule (core/shadow/granule.h),
// no race is found, and what is left has room there.
//
// As in core/shadow/step.h the rule is core/shadow/relation.h's. Atomics do not conflict with each other, and a word of
// another thread's stays unless it is ordered before. What is in the list stays there, superfluous or not.
#pragma once

#include "core/shadow/overflow_list.h"
#include "core/shadow/step.h"

namespace norn {

class AtomicStep {
 public:
  // The short way of nearly all, as GranuleStep::renew() is of plain accesses: it looks first, and locks afterwards.
  // The granule has this list, which has no shadow words, and those in it are of atomics, of others' passed times, or
  // of other bytes. False: it is another case, and nothing was done. The thread has begun its epoch, and its shadow
  // words pack. `follows`: in which order bytes were written counts. `accessed`: those that the thread accessed in its
  // segment, as far as no shadow word in the granule says it. `heeds`: a read may be handed something over.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, HistoryId list,
                                                      unsigned mask, StackId where, bool follows, unsigned accessed,
                                                      bool heeds) {
    const uint64_t cells = GranuleLock::cells_of(granule);
    if (static_cast<uint32_t>(cells) != list || (cells >> 32 & kInReadTable) != 0) return false;
    constexpr bool kWrites = Kind == AccessKind::kAtomicWrite;
    const unsigned place = thread.slot & 1u;
    const uint32_t now = ShadowWord::epoch_of(thread.slot, thread.time);
    const auto order = static_cast<unsigned>(cells >> 32) & GranuleStep::kNoOrder;
    bool done = false;
    bool cut = false;        // a write that goes began what the next continued
    uint64_t continues = 0;  // the bits of writes that stay, of which the bytes count
    unsigned staying = 0;
    const auto judge = [&](ShadowWord word, unsigned at, unsigned stays,
                           ShadowWord& left) __attribute__((always_inline)) {
      if (word.is_none()) return true;
      if (word.is_birth()) return false;
      const bool own_slot = word.slot() == thread.slot;
      if (kWrites && own_slot && word.clock() >= thread.segment_since) accessed |= word.bytes();
      const bool write = word.is_store();
      const auto stay_if = [&](bool may) __attribute__((always_inline)) {
        staying |= stays;
        left = word;
        if (kWrites && write) continues |= word.bits();
        return may;
      };
      if (!word.touches(mask)) return stay_if(true);
      const Related related = relate(FixedKind<Kind>{}, word, KnownNearby(thread, now, word, cells, at));
      if (related.how == Relation::kUnknown) return false;
      if (related.how == Relation::kHarmless) return stay_if(!own_slot && !(heeds && write));
      if (related.how == Relation::kSame) {
        const bool all = word.has_all(mask);
        // With a write of another after it, it is to be the newest again.
        if (!kWrites || !follows || newest_of(order) == at) done = all;
        if (!kWrites || done || !all) return false;
      }
      if (related.covered == Covered::kUnknown) return false;
      if (related.covered == Covered::kNo) return stay_if(!word.is_free());
      if (kWrites && write && !word.is_rmw()) cut = true;
      left = word.without(mask);
      if (!left.is_none()) {
        staying |= stays;
        if (kWrites && write) continues |= left.bits();
      }
      return true;
    };
    ShadowWord third_left, other_left, mine_left;
    const ShadowWord mine = granule.words[place].load(std::memory_order_relaxed);
    if (!judge(mine, place, GranuleStep::kMineStays, mine_left)) return done;
    const ShadowWord other = granule.words[place ^ 1].load(std::memory_order_relaxed);
    if (!judge(other, place ^ 1, GranuleStep::kOtherStays, other_left)) return done;
    const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
    if (!judge(third, 2, GranuleStep::kThirdStays, third_left)) return done;
    if (list == kUntouched && GranuleStep::are_none(mine, other, third)) return false;  // the first needs more

    const unsigned adds = kWrites && follows ? ShadowWord::from_bits(continues).bytes() & accessed & mask : 0;
    if (adds != 0 && (cut || adds != mask)) return false;  // how old they are counts
    const ShadowWord fresh = ShadowWord::of_one_stack(now, Kind, mask, where, adds != 0);
    uint64_t new_cells = uint64_t{thread.layout_alone} << 32 | list;
    ShadowWord new_other = other_left, new_third = third_left;
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
        follows_(is_write(access.kind) && follows_writes(*context.options)),
        fresh_(access.mask),
        accessed_(access.increments ? access.mask : spun) {}

  // Under the granule's lock. False: it is another case, and nothing was done. `spun` (above): the bytes that were
  // spin-read in the present segment.
  [[nodiscard]] bool take(Granule& granule, const OverflowList& listed) {
    for (unsigned i = 0; i < listed.room(); ++i) {
      if (!listed.is_room(i) && !judge_listed(listed.at(i))) return false;
    }
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    // Oldest first; after the first place that is empty there is none. In variables of their own, as in
    // GranuleStep::take().
    auto word_at = [&](unsigned place) {
      return place == GranuleStep::kNoPlace ? ShadowWord() : granule.words[place].load(std::memory_order_relaxed);
    };
    ShadowWord a = word_at(second & 3);
    ShadowWord b = word_at(second >> 2 & 3);
    ShadowWord c = word_at(second >> 4 & 3);
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

    const ShadowWord fresh = ShadowWord::of_one_stack(ShadowWord::epoch_of(thread_.slot, thread_.time), access_.kind,
                                                      access_.mask, access_.where, adds != 0);
    const LocksCode locks = thread_.words_locks;
    if (!a.is_none() && !b.is_none() && !c.is_none()) return false;
    if (b.is_none()) b = c, b_locks = c_locks, c = {};
    if (a.is_none()) a = b, a_locks = b_locks, b = c, b_locks = c_locks;
    if (a.is_none()) {
      GranuleStep::put(granule, {fresh, locks}, {}, {});
    } else if (b.is_none()) {
      GranuleStep::put(granule, {a, a_locks}, {fresh, locks}, {});
    } else {
      GranuleStep::put(granule, {a, a_locks}, {b, b_locks}, {fresh, locks});
    }
    return true;
  }

 private:
  // The place of the newest shadow word.
  [[nodiscard, gnu::always_inline]] static unsigned newest_of(unsigned order) {
    const unsigned third = order >> 4, second = order >> 2 & 3;
    return third != GranuleStep::kNoPlace ? third : second != GranuleStep::kNoPlace ? second : order & 3;
  }

  [[gnu::always_inline]] void find_fresh(ShadowWord word) {
    if (!word.is_none()) find_fresh(word.slot(), word.clock(), word.kind(), word.bytes());
  }
  // As HybridEngine::fresh_bytes() and accessed_in_segment() do, one after the other, oldest first.
  [[gnu::always_inline]] void find_fresh(Slot slot, ClockValue time, AccessKind kind, unsigned mask) {
    if (slot != thread_.slot) {
      if (follows_ && is_write(kind)) fresh_ |= access_.mask & mask;
      return;
    }
    if (time == thread_.time && stands_for(kind, access_.kind)) fresh_ &= ~mask;
    if (time >= thread_.segment_since) accessed_ |= mask;
  }

  // What the thread itself has there of atomics is better taken away.
  [[nodiscard]] bool judge_listed(const PastAccess& past) {
    const bool own = is_own(thread_, past.slot, past.time);
    if (past.slot == thread_.slot && (!own || past.time == thread_.time || covers(access_.kind, past.kind))) {
      return false;
    }
    if (is_of_life(past.kind) || !HybridEngine::agrees(context_, thread_, past, access_)) return false;
    find_fresh(past.slot, past.time, past.kind, past.mask);
    if (is_write(past.kind)) continues_ |= past.mask;
    return true;
  }

  // What is left of a word, none of none; false: it is another case.
  [[nodiscard, gnu::always_inline]] bool judge(ShadowWord& stays, LocksCode locks) {
    const ShadowWord word = stays;
    if (word.is_none()) return true;
    const Slot slot = word.slot();
    const ClockValue clock = word.clock();
    if (is_of_life(word.kind())) return false;
    unsigned left = word.bytes();
    if (word.touches(access_.mask)) {
      const auto locks_then = [&] { return segments_.at(slot, clock, locks); };
      const KnownExactly known(context_, thread_, slot, clock, word.kind(), locks_then);
      if (!known.is_strong() && slot == thread_.slot) return false;
      const Related related = relate(AnyKind{access_.kind}, word, known);
      if (!related.agrees()) return false;
      if (related.covered == Covered::kYes) left &= ~unsigned{access_.mask};
    }
    if (is_write(word.kind())) {
      continues_ = (continues_ & ~word.bytes()) | ((left | (word.is_rmw() ? continues_ : 0)) & word.bytes());
    }
    stays = word.without(word.bytes() & ~left);
    return true;
  }

  const EngineContext& context_;
  const SegmentLocks& segments_;
  const Thread& thread_;
  const WordAccess& access_;
  const bool follows_;
  unsigned fresh_;          // the bytes that this very segment has not accessed so yet
  unsigned accessed_;       // the bytes that the thread accessed in it
  unsigned continues_ = 0;  // the bytes with a write before ours that an increment continues
};

}  // namespace norn
