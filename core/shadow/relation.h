// The rule of hb and hybrid, which every path of an access applies: how an access relates to a remembered one of the
// same bytes, and whether it makes that one superfluous (docs/design/history.md has the argument).
//
//   ordered    hybrid: before in the strong relation; hb, and of an allocation: before in the full one
//   excluded   hybrid: before in the full relation, and a common lock protects the two
//   races      they conflict, and are neither ordered nor excluded: predicted if before in the full relation, else
//              observed
//   covered    ordered, everything that conflicts with the old one's kind conflicts with the new one's, and (hybrid,
//              but of an allocation) the new one's locks protect no better; or (--history=short) the old one is a read
//              of the same thread under other locks, and not under fewer
//   same       of the same epoch, and such that it stands for the new one: nothing is to be done, unless the order of
//              writes counts
//   superseded before in the full relation, and of no other bytes or kind: what races with the old one, and is not
//              only predicted to, races with the new one, too
//
// (An allocation is never predicted, so nothing protects it and nothing needs to: order.md, New memory.)
//
// Paths differ in what they know at hand. Each says so in a class of its own that answers relate()'s questions
// (`Known`); what it would take too long to find out is unknown, and the access is left to the next path.
#pragma once

#include "core/engine/engine.h"
#include "core/order/segment_locks.h"
#include "core/shadow/shadow_word.h"

namespace norn {

enum class Relation : uint8_t { kSame, kOrdered, kHarmless, kExcluded, kRaces, kUnknown };
enum class Covered : uint8_t { kNo, kYes, kUnknown };

struct Related {
  Relation how;
  Covered covered;

  // That the two are in no race. (Unknown: not that.)
  [[nodiscard, gnu::always_inline]] constexpr bool agrees() const {
    return how != Relation::kRaces && how != Relation::kUnknown;
  }
};

// The kind of an access that is known to the compiler, and of one that is not.
template <AccessKind Kind>
struct FixedKind {
  template <class Then>
  [[nodiscard, gnu::always_inline]] static constexpr bool conflicts_with(const Then& then) {
    return then.template is_one_of<conflicts_of(Kind)>();
  }
  template <class Then>
  [[nodiscard, gnu::always_inline]] static constexpr bool covers(const Then& then) {
    return then.template is_one_of<kinds_covered_by(Kind)>();
  }
  template <class Then>
  [[nodiscard, gnu::always_inline]] static constexpr bool is_stood_for_by(const Then& then) {
    return then.template is_one_of<kinds_standing_for(Kind)>();
  }
};
struct AnyKind {
  AccessKind kind;

  template <class Then>
  [[nodiscard, gnu::always_inline]] constexpr bool conflicts_with(const Then& then) const {
    return norn::conflicts(kind, then.kind());
  }
  template <class Then>
  [[nodiscard, gnu::always_inline]] constexpr bool covers(const Then& then) const {
    return norn::covers(kind, then.kind());
  }
  template <class Then>
  [[nodiscard, gnu::always_inline]] constexpr bool is_stood_for_by(const Then& then) const {
    return stands_for(then.kind(), kind);
  }
};
// The kind of a remembered access that is no shadow word.
struct PastKind {
  AccessKind then;

  [[nodiscard, gnu::always_inline]] constexpr AccessKind kind() const { return then; }
  [[nodiscard, gnu::always_inline]] constexpr bool is_birth() const { return then == AccessKind::kBirth; }
};

// `Known` answers:
//   is_now()        the remembered access is of the thread's present epoch
//   is_ordered()    it is ordered before (above). No: or it is unknown, if keeps_apart() says so
//   keeps_apart()   where they conflict and are not ordered: kExcluded, kRaces or kUnknown
//   no_better()     whether the new one's locks protect no better
template <class Now, class Then, class Known>
[[nodiscard, gnu::always_inline]] constexpr Related relate(const Now& now, const Then& then, const Known& known) {
  const bool same = known.is_now() && now.is_stood_for_by(then);
  if (!same && !known.is_ordered()) {
    if (!now.conflicts_with(then)) return {Relation::kHarmless, Covered::kNo};
    return {known.keeps_apart(), Covered::kNo};
  }
  const Relation how = same ? Relation::kSame : Relation::kOrdered;
  if (!now.covers(then)) return {how, Covered::kNo};
  return {how, then.is_birth() ? Covered::kYes : known.no_better()};
}

// Whether an access supersedes a remembered one that is before it in the full relation. `chained`: the bytes of which
// the access continues a signal, which earlier writes are part of; of one thread's writes the last stands for all.
[[nodiscard, gnu::always_inline]] constexpr bool supersedes(AccessKind now, unsigned bytes_now, unsigned chained,
                                                            AccessKind then, unsigned bytes_then, bool same_slot) {
  return (bytes_then & ~bytes_now) == 0 && covers(now, then) && !is_of_life(then) &&
         (same_slot || !is_write(then) || (bytes_then & chained) == 0);
}

// All there is to know. `locks_then()`: the lockset that the remembered access was made with.
template <class LocksCall>
class KnownExactly {
 public:
  [[gnu::always_inline]] KnownExactly(const EngineContext& context, const Thread& thread, Slot slot, ClockValue clock,
                                      AccessKind then, const LocksCall& locks_then)
      : context_(context),
        thread_(thread),
        locks_then_(locks_then),
        by_order_alone_(is_by_order_alone(context.options->engine) || then == AccessKind::kBirth),
        own_read_(thread.short_history_locksets != nullptr && then == AccessKind::kRead && is_own(thread, slot, clock)),
        is_now_(slot == thread.slot && clock == thread.time),
        strong_(ordered_before(thread.clocks.strong, thread, slot, clock)),
        full_(strong_ || ordered_before(thread.clocks.full, thread, slot, clock)) {}

  [[nodiscard, gnu::always_inline]] bool is_strong() const { return strong_; }
  [[nodiscard, gnu::always_inline]] bool is_full() const { return full_; }

  [[nodiscard, gnu::always_inline]] bool is_now() const { return is_now_; }
  [[nodiscard, gnu::always_inline]] bool is_ordered() const { return by_order_alone_ ? full_ : strong_; }
  [[nodiscard, gnu::always_inline]] Relation keeps_apart() const {
    return full_ && !by_order_alone_ && context_.locksets->protects(thread_.lockset, locks_then_())
               ? Relation::kExcluded
               : Relation::kRaces;
  }
  [[nodiscard, gnu::always_inline]] Covered no_better() const {
    if (by_order_alone_) return Covered::kYes;
    const LocksetId then = locks_then_();
    if (context_.locksets->weaker_or_same(thread_.lockset, then)) return Covered::kYes;
    return own_read_ && !context_.locksets->weaker_or_same(then, thread_.lockset) ? Covered::kYes : Covered::kNo;
  }

 private:
  const EngineContext& context_;
  const Thread& thread_;
  const LocksCall& locks_then_;
  const bool by_order_alone_;
  const bool own_read_;
  const bool is_now_;
  const bool strong_;
  const bool full_;
};

// Whether a word was made under the locks that the thread has now: by their number, or by its epoch where they have
// none. (No: or what had a number has none, or the other way round.) The thread is inside.
[[nodiscard, gnu::always_inline]] inline bool has_same_locks(const Thread& thread, uint32_t then, LocksCode locks) {
  if (locks != thread.words_locks) return false;
  return locks != SegmentLocks::kOfItsTime ||
         thread.locks_by_time->at(static_cast<Slot>(ShadowWord::slot_of(then)), ShadowWord::clock_of(then), locks) ==
             thread.lockset;
}

// Whether what a thread does now, under locks, makes an earlier read of its own superfluous that was made under others
// (--history=short): it does if those are not fewer. Whatever races with the old one alone holds a lock of the new
// one's and none of the old one's, and is only predicted to race. `locks`: the number of the old one's. The thread is
// inside.
[[nodiscard, gnu::always_inline]] inline Covered covers_own_read(const Thread& thread, uint32_t then, LocksCode locks) {
  if (locks == 0) return Covered::kNo;  // nothing protected it, as something protects this
  if (thread.short_history_locksets == nullptr) return Covered::kUnknown;
  const auto slot = static_cast<Slot>(ShadowWord::slot_of(then));
  const LocksetId was = thread.locks_by_time->at(slot, ShadowWord::clock_of(then), locks);
  bool fewer = false;
  if (!thread.short_history_locksets->find_weaker_or_same(was, thread.lockset, fewer)) return Covered::kUnknown;
  return fewer && was != thread.lockset ? Covered::kNo : Covered::kYes;
}

// What paths 1 know of a word in a granule: the relation that decides, as far as the clock itself has it, and the
// number of its locks. The thread has begun its epoch and is inside.
class KnownNearby {
 public:
  // `cells`: both cells of the granule (GranuleLock::cells_of()), of which the upper has the locks of the word at `at`.
  [[gnu::always_inline]] KnownNearby(const Thread& thread, uint32_t now, ShadowWord then, uint64_t cells, unsigned at)
      : thread_(thread),
        now_(now),
        then_(then.epoch()),
        is_read_(then.kind() == AccessKind::kRead),
        cells_(cells),
        at_(at) {}

  [[nodiscard, gnu::always_inline]] bool is_now() const { return then_ == now_; }
  [[nodiscard, gnu::always_inline]] bool is_ordered() const {
    return is_own() || thread_.decides->get_near(ShadowWord::slot_of(then_)) >= ShadowWord::clock_of(then_);
  }
  [[nodiscard, gnu::always_inline]] static Relation keeps_apart() { return Relation::kUnknown; }
  [[nodiscard, gnu::always_inline]] Covered no_better() const {
    if (thread_.words_bare) return Covered::kYes;
    const auto locks = static_cast<LocksCode>(cells_ >> (at_ + 5) * 8);
    if (has_same_locks(thread_, then_, locks)) return Covered::kYes;
    if (is_read_ && is_own()) return covers_own_read(thread_, then_, locks);
    return locks == 0 ? Covered::kNo : Covered::kUnknown;  // nothing protected it, as something protects this
  }

 private:
  [[nodiscard, gnu::always_inline]] bool is_own() const { return now_ - then_ <= thread_.time - thread_.own_since; }

  const Thread& thread_;
  const uint32_t now_, then_;
  const bool is_read_;
  const uint64_t cells_;
  const unsigned at_;
};

// What path 2 knows of it: both relations, and the number of its locks. No allocation.
class KnownByNumber {
 public:
  [[gnu::always_inline]] KnownByNumber(const Thread& thread, bool lockless, ShadowWord then, LocksCode locks)
      : thread_(thread),
        lockless_(lockless),
        then_(then.epoch()),
        is_read_(then.kind() == AccessKind::kRead),
        own_(is_own(thread, then.slot(), then.clock())),
        is_now_(own_ && then.clock() == thread.time),
        full_(own_ || thread.clocks.full.get(then.slot()) >= then.clock()),
        strong_(own_ || (full_ && thread.clocks.strong.get(then.slot()) >= then.clock())),
        locks_(locks) {}

  [[nodiscard, gnu::always_inline]] bool is_now() const { return is_now_; }
  [[nodiscard, gnu::always_inline]] bool is_ordered() const { return lockless_ ? full_ : strong_; }
  [[nodiscard, gnu::always_inline]] Relation keeps_apart() const {
    return full_ && thread_.words_exclude && has_same_locks(thread_, then_, locks_) ? Relation::kExcluded
                                                                                    : Relation::kUnknown;
  }
  [[nodiscard, gnu::always_inline]] Covered no_better() const {
    if (lockless_ || thread_.lockset == kNoLocks || has_same_locks(thread_, then_, locks_)) return Covered::kYes;
    if (is_read_ && own_) return covers_own_read(thread_, then_, locks_);
    return locks_ == 0 ? Covered::kNo : Covered::kUnknown;
  }

 private:
  const Thread& thread_;
  const bool lockless_;
  const uint32_t then_;
  const bool is_read_, own_, is_now_, full_, strong_;
  const LocksCode locks_;
};

}  // namespace norn
