// Paths 1 and 2, and path 3 of a granule without a list (core/shadow/shadow_store.h): what most accesses do to a
// granule. Nothing is in its list, no race is found, and what is left has room in it.
//
// Each path applies the rule (core/shadow/relation.h) to the shadow words as they lie in the granule and decides where
// the words that are left are put. What it cannot do it leaves to the next path, and then has done nothing.
#pragma once

#include "core/engine/engine.h"
#include "core/order/lockset.h"
#include "core/shadow/granule.h"
#include "core/shadow/place_tables.h"
#include "core/shadow/relation.h"

namespace norn {

class GranuleStep : public PlaceTables {
 public:
  GranuleStep(const EngineContext& context, const SegmentLocks& segments, Thread& thread, AccessKind kind,
              unsigned mask, bool increments, StackId where)
      : context_(context),
        segments_(segments),
        thread_(thread),
        kind_(kind),
        mask_(mask),
        counts_writes_(is_write(kind) && follows_writes(*context.options)),
        adds_(increments ? mask : 0),
        own_(says(thread, kind, where)) {}

  // Path 1, of nearly all accesses: what is covered goes, as far as it is, and the rest has room.
  // The thread is_plain(). False: it is another case, and nothing was done. `Whole`: all bytes of the granule.
  // `prepare()`: before the granule's first word.
  template <AccessKind Kind, bool Whole, class PrepareCall>
  [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, unsigned mask,
                                                      StackId where, const PrepareCall& prepare) {
    const uint64_t cells = GranuleLock::cells_of(granule);
    if (static_cast<uint32_t>(cells) != 0) return false;
    const unsigned place = thread.slot & 1u;
    const uint32_t now = ShadowWord::epoch_of(thread.slot, thread.time);
    const unsigned bytes = Whole ? ShadowWord::kAllBytes : mask;
    bool done = false;
    // Whether it stays, all of it or some. False: it is another case, or done.
    unsigned staying = 0;
    ShadowWord third_left, other_left, mine_left;
    const auto judge = [&](ShadowWord word, unsigned at, unsigned stays,
                           ShadowWord& left) __attribute__((always_inline)) {
      const auto stay_if = [&](bool may) __attribute__((always_inline)) {
        staying |= stays;
        left = word;
        return may;
      };
      if (word.is_none()) return true;
      if (!Whole && !word.touches(bytes)) return stay_if(true);
      const Related related = relate(FixedKind<Kind>{}, word, KnownNearby(thread, now, word, cells, at));
      if (related.how == Relation::kSame) {
        done = word.has_all(bytes);
        return false;
      }
      if (related.how == Relation::kUnknown || related.covered == Covered::kUnknown) return false;
      // (What was freed before is for the next path.)
      if (related.covered == Covered::kNo) return stay_if(related.how == Relation::kHarmless || !word.is_free());
      if (covers(Kind, AccessKind::kFree) && word.is_free()) return false;
      if (!Whole) {
        left = word.without(bytes);
        staying |= !left.is_none() ? stays : 0;
      }
      return true;
    };
    const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
    if (!judge(third, 2, kThirdStays, third_left)) return done;
    const ShadowWord other = granule.words[place ^ 1].load(std::memory_order_relaxed);
    if (!judge(other, place ^ 1, kOtherStays, other_left)) return done;
    const ShadowWord mine = granule.words[place].load(std::memory_order_relaxed);
    if (!judge(mine, place, kMineStays, mine_left)) return done;

    ShadowWord fresh = ShadowWord::of_one_stack(now, Kind, 0, where);
    if (!Whole && says_same(mine, fresh)) {
      // Its bytes go to what the thread did last.
      fresh = with_bytes(thread, mine, fresh, mask);
      const auto order = static_cast<unsigned>(cells >> 32) & kNoOrder;
      if (fresh == kUnknown || fresh == kApart || kOrdersAfter.of[place][kNoPlace][order] != order) return false;
      staying &= ~kMineStays;
    }
    fresh = fresh.with(bytes);
    uint64_t new_cells = uint64_t{thread.layout_alone} << 32;
    ShadowWord new_other, new_third;
    if (staying != 0) {
      // That of the thread itself goes to the third place, where its check may look for it, and that to the other one.
      const auto second = static_cast<uint32_t>(cells >> 32);
      if ((staying == kMineStays && second == thread.layout_alone) ||
          (staying == kThirdStays && second == thread.layout_two)) {
        new_cells = uint64_t{thread.layout_two} << 32;
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
    } else if (are_none(mine, other, third) && !prepare()) {
      return false;
    }
    if (thread.words_unlocked && new_cells == cells && new_other == other &&
        (new_third == third || third.slot() == thread.slot)) {
      if (new_third != third) granule.words[2].store(new_third, std::memory_order_relaxed);
      return put_unlocked(granule, place, fresh);
    }
    return put_instead(granule, place, cells, {mine, other, third}, new_cells, {fresh, new_other, new_third});
  }

  // The commonest of path 1, by a thread that holds no lock: a granule with nothing but its own words, of which what
  // stays beside the access leaves room for it. The layout stays as it is (all but the newest of its words may be
  // none), so no lock is taken (put_unlocked()). False: it is another case, and nothing was done.
  template <AccessKind Kind>
  struct Own {
    [[nodiscard, gnu::always_inline]] static bool renew(const Thread& thread, Granule& granule, unsigned mask,
                                                        StackId where) {
      const uint64_t cells = GranuleLock::cells_of(granule);
      const auto layout = static_cast<uint32_t>(cells >> 32);
      const bool three = layout == thread.own_three;
      const bool two = three || layout == thread.own_two;
      if ((!two && layout != thread.own_alone) || static_cast<uint32_t>(cells) != kUntouched) return false;
      const unsigned place = thread.slot & 1u;
      uint64_t fresh = thread.own_epoch | uint64_t{mask} << ShadowWord::kBytesAt |
                       static_cast<uint64_t>(Kind) << ShadowWord::kKindAt | where;
      // What stays: of the newest word, the one before it, and the oldest. (Whatever stands for bytes of the access is
      // no older than what has them beside.)
      const uint64_t newest = granule.words[place].load(std::memory_order_relaxed).bits();
      uint64_t mine = newest;
      if (const Fate fate = judge(thread, mine, fresh); fate != Fate::kKnown) return fate == Fate::kStands;
      const uint64_t third = two ? granule.words[2].load(std::memory_order_relaxed).bits() : 0;
      uint64_t third_left = third;
      if (const Fate fate = judge(thread, third_left, fresh); fate != Fate::kKnown) return fate == Fate::kStands;
      const uint64_t oldest = three ? granule.words[1 - place].load(std::memory_order_relaxed).bits() : 0;
      uint64_t oldest_left = oldest;
      if ((newest | third | oldest) == 0) return false;  // the granule must be prepared for its first word
      if (const Fate fate = judge(thread, oldest_left, fresh); fate != Fate::kKnown) return fate == Fate::kStands;
      if (((mine ^ fresh) & ~ShadowWord::kBitsOfStack & ~ShadowWord::kBitsOfBytes) == 0) {
        // Its bytes go to what the thread did last.
        const ShadowWord said = ShadowWord::from_bits(fresh);
        const ShadowWord joined = with_bytes(thread, ShadowWord::from_bits(mine), said.without_bytes(), said.bytes());
        if (joined == kUnknown) return false;
        if (joined != kApart) {
          fresh = joined.bits();
          mine = 0;
        }
      }
      if (mine != 0) {
        if (third_left != 0) {
          if (!three || oldest_left != 0) return false;
          oldest_left = third_left;
        } else if (!two) {
          return false;
        }
        third_left = mine;
      }
      if (oldest_left != oldest) {
        granule.words[1 - place].store(ShadowWord::from_bits(oldest_left), std::memory_order_relaxed);
      }
      if (third_left != third) granule.words[2].store(ShadowWord::from_bits(third_left), std::memory_order_relaxed);
      return put_unlocked(granule, place, ShadowWord::from_bits(fresh));
    }

   private:
    enum class Fate : uint8_t { kKnown, kStands, kUnknown };
    static constexpr uint64_t kSlot = ~uint64_t{0} << ShadowWord::kSlotAt;
    static constexpr uint64_t kWrite = static_cast<uint64_t>(AccessKind::kWrite) << ShadowWord::kKindAt;
    // What stays of a word, 0 of nothing: of the thread's own plain ones all is ordered, and a write covers both kinds,
    // a read its own. The bytes that one stands for the access needs no more.
    [[nodiscard, gnu::always_inline]] static Fate judge(const Thread& thread, uint64_t& word, uint64_t& fresh) {
      if (word == 0) return Fate::kKnown;
      constexpr uint64_t kOther = kSlot | uint64_t{6} << ShadowWord::kKindAt;  // no plain access, or not its own
      const uint32_t since = ShadowWord::from_bits(word).clock() - thread.own_since;
      const uint32_t now = thread.time - thread.own_since;
      const bool write = (word & kWrite) != 0;
      if (((word ^ fresh) & kOther) != 0 || since > now) return Fate::kUnknown;
      const uint64_t common = word & fresh & ShadowWord::kBitsOfBytes;
      if (common == 0) return Fate::kKnown;
      if (since == now && (Kind == AccessKind::kRead || write)) {
        fresh &= ~common;
        return (fresh & ShadowWord::kBitsOfBytes) == 0 ? Fate::kStands : Fate::kKnown;
      }
      if (Kind == AccessKind::kWrite || !write) {
        word &= ~common;
        if ((word & ShadowWord::kBitsOfBytes) == 0) word = 0;
      }
      return Fate::kKnown;
    }
  };

  // Path 1 for many granules at a stride, all bytes of each: those in which there is nothing, or nothing but what the
  // thread did before with the same locks, at most two words.
  template <AccessKind Kind>
  class Strided {
   public:
    Strided(const Thread& thread, StackId where)
        : alone_(uint64_t{thread.layout_alone} << 32),
          two_(uint64_t{thread.layout_two} << 32),
          fresh_(says(thread, Kind, where).with(ShadowWord::kAllBytes)),
          past_(has_one_code(thread) ? thread.time - thread.own_since : 0),
          place_(thread.slot & 1u),
          unlocked_(thread.words_unlocked) {}

    // Whether the access was made already, as the newest of the thread's.
    [[nodiscard, gnu::always_inline]] bool stands(const Granule& granule) const {
      constexpr uint64_t kBits = Kind == AccessKind::kWrite ? ShadowWord::kBitsOfWrites : ShadowWord::kBitsOfReads;
      return granule.words[place_].load(std::memory_order_relaxed).equals_in(fresh_, kBits);
    }
    // False: it is another case, and nothing was done.
    [[nodiscard, gnu::always_inline]] bool renew(Granule& granule) const {
      const uint64_t cells = GranuleLock::cells_of(granule);
      const ShadowWord mine = granule.words[place_].load(std::memory_order_relaxed);
      const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
      // A granule with one word has nothing elsewhere.
      if (!is_past(mine) || (cells != alone_ && (cells != two_ || !is_past(third)))) return false;
      uint64_t new_cells = alone_;
      ShadowWord new_third;
      if (relate(FixedKind<Kind>{}, mine, KnownOwn{}).covered == Covered::kNo) {
        if (cells == two_) return false;
        new_cells = two_;
        new_third = mine;
      } else if (relate(FixedKind<Kind>{}, third, KnownOwn{}).covered == Covered::kNo) {
        new_cells = cells;
        new_third = third;
      }
      if (unlocked_ && new_cells == cells) {
        if (new_third != third) granule.words[2].store(new_third, std::memory_order_relaxed);
        return put_unlocked(granule, place_, fresh_);
      }
      if (!GranuleLock::try_lock_both(granule, cells)) return false;
      if (granule.words[place_].load(std::memory_order_relaxed) != mine ||
          granule.words[2].load(std::memory_order_relaxed) != third) [[unlikely]] {
        GranuleLock::unlock_both(granule, cells);
        return false;
      }
      granule.words[place_].store(fresh_, std::memory_order_relaxed);
      granule.words[2].store(new_third, std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, new_cells);
      return true;
    }

    // Of a granule that is_empty() and prepared for its first shadow word.
    [[nodiscard, gnu::always_inline]] bool begin(Granule& granule) const {
      const uint64_t cells = GranuleLock::cells_of(granule);
      if (unlocked_ && cells == alone_) return put_unlocked(granule, place_, fresh_);
      return static_cast<uint32_t>(cells) == 0 && put_instead(granule, place_, cells, {}, alone_, {fresh_, {}, {}});
    }

   private:
    // Whether equal cells say that the locks are the same.
    [[nodiscard, gnu::always_inline]] static bool has_one_code(const Thread& thread) {
      return thread.words_bare || thread.words_locks != SegmentLocks::kOfItsTime;
    }
    // Of the thread itself, at a time before the present. (What was freed is for the next path.)
    [[nodiscard, gnu::always_inline]] bool is_past(ShadowWord word) const {
      const uint64_t clocks = uint64_t{fresh_.epoch()} - word.epoch() - 1;
      return clocks < past_ && !word.is_free();
    }
    // What is_past() and the cells say: it is ordered, and was made with the same locks.
    struct KnownOwn {
      [[nodiscard, gnu::always_inline]] static constexpr bool is_now() { return false; }
      [[nodiscard, gnu::always_inline]] static constexpr bool is_ordered() { return true; }
      [[nodiscard, gnu::always_inline]] static constexpr Relation keeps_apart() { return Relation::kUnknown; }
      [[nodiscard, gnu::always_inline]] static constexpr Covered no_better() { return Covered::kYes; }
    };

    uint64_t alone_, two_;
    ShadowWord fresh_;
    uint64_t past_;
    unsigned place_;
    bool unlocked_;
  };

  // Path 1 for all bytes of many granules, by a thread that holds no lock: those that have nothing but one word of its
  // own, which the access covers; or where it was emptied since. A store for each, without a clock and without the
  // granule's lock (put_unlocked()). For writes, births and frees.
  template <AccessKind Kind>
  class Alone {
   public:
    Alone(const Thread& thread, StackId where)
        : cells_(uint64_t{thread.own_alone} << 32),
          fresh_(says(thread, Kind, where).with(ShadowWord::kAllBytes)),
          past_(thread.time - thread.own_since),
          place_(thread.slot & 1u) {}

    // How many of so many, from the first on. `prepare(i)`: before one that was emptied has a word again; false: it is
    // left.
    template <class PrepareCall>
    [[nodiscard, gnu::always_inline]] uint64_t renew(Granule* granules, uint64_t count,
                                                     const PrepareCall& prepare) const {
      uint64_t done = 0;
      for (; done < count; ++done) {
        Granule& granule = granules[done];
        if (GranuleLock::cells_of(granule) != cells_) break;
        const ShadowWord only = granule.words[place_].load(std::memory_order_relaxed);
        if (Kind == AccessKind::kWrite && only.equals_in(fresh_, ShadowWord::kBitsOfWrites)) continue;  // it stands
        if (only.is_none() ? !is_alone(granule) || !prepare(done)
                           : !is_covered(only) || (Kind != AccessKind::kWrite && !is_alone(granule))) {
          break;
        }
        if (!put_unlocked(granule, place_, fresh_)) break;
      }
      return done;
    }

   private:
    [[nodiscard, gnu::always_inline]] bool is_covered(ShadowWord word) const {
      const uint64_t clocks = uint64_t{fresh_.epoch()} - word.epoch();
      if (clocks > past_) return false;  // another's, or of who had the slot before
      // A birth replaces whatever was done to all the bytes. What was freed before is for the next path.
      if constexpr (Kind == AccessKind::kBirth) return word.has_all(ShadowWord::kAllBytes);
      if (clocks == 0 && stands_for(word.kind(), Kind)) return false;  // of some bytes
      return !word.is_free() && covers(Kind, word.kind());
    }
    // What another thread put there at the same time as this one's word is not to outlive the memory.
    [[nodiscard, gnu::always_inline]] bool is_alone(const Granule& granule) const {
      return granule.words[place_ ^ 1].load(std::memory_order_relaxed).is_none() &&
             granule.words[2].load(std::memory_order_relaxed).is_none();
    }

    uint64_t cells_;
    ShadowWord fresh_;
    uint64_t past_;
    unsigned place_;
  };

  // Granules in a row mostly have the same words, and then an access to all bytes of them makes the same of each: it is
  // judged once, on a granule that nobody else has, and put into all that are like it.
  class Alike {
   public:
    // Judges it anew, if it is not like the one before. False: it is no case of `take(granule)`, which says whether it
    // is one, looks at nothing but the granule and what stays as it is, and leaves words without a list.
    template <class TakeCall>
    [[nodiscard, gnu::always_inline]] bool takes(const Granule& granule, const TakeCall& take) {
      const Image found(granule);
      if (judged_ && found == before_) return true;
      before_ = found;
      judged_ = false;
      if (!found.is_simple()) return false;
      Granule alone{};
      for (unsigned i = 0; i < kPlaces; ++i) alone.words[i].store(found.words[i], std::memory_order_relaxed);
      GranuleLock::unlock_both(alone, found.cells);
      if (!take(alone)) return false;
      after_ = Image(alone);
      judged_ = true;
      return true;
    }
    // False: it was changed meanwhile, and nothing was done.
    [[nodiscard, gnu::always_inline]] bool put(Granule& granule) const {
      if (after_ == before_) return true;
      if (!GranuleLock::try_lock_both(granule, before_.cells)) return false;
      for (unsigned i = 0; i < kPlaces; ++i) {
        if (granule.words[i].load(std::memory_order_relaxed) != before_.words[i]) [[unlikely]] {
          GranuleLock::unlock_both(granule, before_.cells);
          return false;
        }
      }
      for (unsigned i = 0; i < kPlaces; ++i) granule.words[i].store(after_.words[i], std::memory_order_relaxed);
      GranuleLock::unlock_both(granule, after_.cells);
      return true;
    }

   private:
    struct Image {
      Image() = default;
      [[gnu::always_inline]] explicit Image(const Granule& granule)
          : words{granule.words[0].load(std::memory_order_relaxed), granule.words[1].load(std::memory_order_relaxed),
                  granule.words[2].load(std::memory_order_relaxed)},
            cells(GranuleLock::cells_of(granule)) {}
      [[nodiscard, gnu::always_inline]] bool operator==(const Image& other) const {
        return words[0] == other.words[0] && words[1] == other.words[1] && words[2] == other.words[2] &&
               cells == other.cells;
      }
      // It has words and no list, and nobody has its lock.
      [[nodiscard, gnu::always_inline]] bool is_simple() const {
        return static_cast<uint32_t>(cells) == kUntouched && !are_none(words[0], words[1], words[2]);
      }

      ShadowWord words[kPlaces];
      uint64_t cells = 0;
    };

    Image before_, after_;
    bool judged_ = false;
  };

  // The second cell with a new shadow word of the thread beside what stays of those it tells of. 0: there is no room.
  [[nodiscard, gnu::always_inline]] static uint32_t second_among(const Thread& thread, unsigned place, unsigned staying,
                                                                 uint32_t second) {
    const uint32_t order = kOrdersAmong.of[place][staying][second & kNoOrder];
    if (order == 0) return 0;
    const Moves& moves = kMoves.of[place][staying];
    return (thread.layout_alone & ~kNoOrder) | order | (second & moves.stay) |
           __builtin_rotateleft32(second & moves.mine, moves.mine_by) |
           __builtin_rotateleft32(second & moves.third, moves.third_by);
  }

  // Puts the thread's word into its place without the lock, which a thread may that holds no lock of the program's
  // (Thread::words_unlocked), where the second cell stays as it is (docs/design/history.md, Without the lock). False:
  // the granule got a list at the same time, or is locked, and nothing was done.
  [[nodiscard, gnu::always_inline]] static bool put_unlocked(Granule& granule, unsigned place, ShadowWord fresh) {
    granule.words[place].store(fresh, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!has_list(granule)) [[likely]]
      return true;
    granule.words[place].compare_exchange_strong(fresh, {}, std::memory_order_relaxed);
    return false;
  }

  // What a granule has: in the place of the thread's parity, in the other, and the third.
  struct Three {
    ShadowWord mine, other, third;
  };
  // Puts other shadow words and cells into a granule, if it still has these. `place`: that of the thread's parity.
  [[nodiscard, gnu::always_inline]] static bool put_instead(Granule& granule, unsigned place, uint64_t cells,
                                                            const Three& found, uint64_t new_cells,
                                                            const Three& fresh) {
    if (!GranuleLock::try_lock_both(granule, cells)) return false;
    if (granule.words[place].load(std::memory_order_relaxed) != found.mine ||
        granule.words[place ^ 1].load(std::memory_order_relaxed) != found.other ||
        granule.words[2].load(std::memory_order_relaxed) != found.third) [[unlikely]] {
      GranuleLock::unlock_both(granule, cells);
      return false;
    }
    granule.words[place].store(fresh.mine, std::memory_order_relaxed);
    granule.words[place ^ 1].store(fresh.other, std::memory_order_relaxed);
    granule.words[2].store(fresh.third, std::memory_order_relaxed);
    GranuleLock::unlock_both(granule, new_cells);
    return true;
  }

  // What the thread leaves where memory is born, in all bytes.
  [[nodiscard]] static ShadowWord birth_of(const Thread& thread, StackId where) {
    return says(thread, AccessKind::kBirth, where).with(ShadowWord::kAllBytes);
  }

  // Path 2, for what is ordered by locks alone, and for writes that continue others'. What is in the thread's own
  // position and stays moves, if there is room; or it says the same of other bytes. `where(found)`: the stack, false if
  // that is not to be had.
  template <AccessKind Kind, class WhereCall>
  [[nodiscard, gnu::always_inline]] static bool renew_beside(const Thread& thread, bool lockless, bool counts_writes,
                                                             bool heeds, Granule& granule, unsigned mask,
                                                             bool increments, const WhereCall& where) {
    const unsigned place = thread.slot & 1u;
    const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
    const ShadowWord mine = granule.words[place].load(std::memory_order_relaxed);
    const ShadowWord other = granule.words[1 - place].load(std::memory_order_relaxed);
    const ShadowWord third = granule.words[2].load(std::memory_order_relaxed);
    if (are_none(mine, other, third)) return false;  // the first needs more
    if (const unsigned done =
            same_bytes(thread, Kind, mine) | same_bytes(thread, Kind, other) | same_bytes(thread, Kind, third);
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
    const ShadowWord mine_left = left_beside<Kind>(thread, lockless, heeds, mine, locks_at(second, place), mask);
    const ShadowWord other_left = left_beside<Kind>(thread, lockless, heeds, other, locks_at(second, 1 - place), mask);
    const ShadowWord third_left = left_beside<Kind>(thread, lockless, heeds, third, locks_at(second, 2), mask);
    if (mine_left == kUnknown || other_left == kUnknown || third_left == kUnknown) return false;
    // Its bytes go to what it did last, or that makes room for it.
    const bool joins = says_same(mine, says(thread, Kind, kNoStack));
    const bool moves = !joins && !mine_left.is_none();
    if (moves && !third_left.is_none() && !other_left.is_none()) return false;
    const unsigned to = !moves ? kNoPlace : third_left.is_none() ? 2 : 1 - place;
    // In which order they will be: the thread's own last.
    unsigned order = second & kNoOrder;
    if (joins && kOrdersAfter.of[place][kNoPlace][order] != order) return false;
    if (!other.is_none() && other_left.is_none()) order = without(order, 1 - place);
    if (!third.is_none() && third_left.is_none()) order = without(order, 2);
    const unsigned after = kOrdersAfter.of[place][to][order];
    const unsigned count = (other_left.is_none() ? 0u : 1u) + (third_left.is_none() ? 0u : 1u) + (moves ? 1u : 0u);
    if (after >> 2 * count != (kNoOrder >> 2 * (count + 1) << 2 | place)) return false;

    unsigned adds = 0;
    if (counts_writes) {
      auto touched = [&](ShadowWord word) __attribute__((always_inline)) {
        return !word.is_none() && word.slot() == thread.slot && word.clock() >= thread.segment_since ? word.bytes()
                                                                                                     : 0u;
      };
      adds = mask & (increments ? mask : touched(mine) | touched(other) | touched(third));
      if (adds != 0) {
        ShadowWord words[kPlaces];
        bool goes[kPlaces] = {};
        words[place] = mine, goes[place] = mine_left != mine;
        words[1 - place] = other, goes[1 - place] = other_left != other;
        words[2] = third, goes[2] = third_left != third;
        adds &= continued(words, goes, second);
      }
      if (adds != 0 && (adds != mask || joins)) return false;
    }
    StackId found = kNoStack;
    if (!where(found) || !ShadowWord::stack_fits(found)) return false;
    const ShadowWord fresh = says(thread, Kind, found);
    const ShadowWord joined = with_bytes(thread, mine, fresh, mask);
    if (joined == kUnknown || (joins && joined == kApart)) return false;
    const ShadowWord word = joins ? joined : ShadowWord::of_one_stack(fresh.epoch(), Kind, mask, found, adds != 0);
    const ShadowWord new_other = to == 1 - place ? mine_left : other_left;
    const ShadowWord new_third = to == 2 ? mine_left : third_left;
    uint32_t new_second = after | locks_in(place, thread.words_locks);
    if (!new_other.is_none()) new_second |= locks_in(1 - place, locks_at(second, to == 1 - place ? place : 1 - place));
    if (!new_third.is_none()) new_second |= locks_in(2, locks_at(second, to == 2 ? place : 2));
    if (!GranuleLock::try_lock_simple(granule)) return false;
    const bool still = granule.words[place].load(std::memory_order_relaxed) == mine &&
                       granule.words[1 - place].load(std::memory_order_relaxed) == other &&
                       granule.words[2].load(std::memory_order_relaxed) == third &&
                       granule.cells[1].load(std::memory_order_relaxed) == second;
    if (still) [[likely]] {
      granule.words[place].store(word, std::memory_order_relaxed);
      if (new_other != other) granule.words[1 - place].store(new_other, std::memory_order_relaxed);
      if (new_third != third) granule.words[2].store(new_third, std::memory_order_relaxed);
      if (new_second != second) granule.cells[1].store(new_second, std::memory_order_relaxed);
    }
    GranuleLock::unlock_simple(granule);
    return still;
  }

  // Gives the access' bytes to a word that says the same of others, if it is one.
  [[nodiscard]] bool joins(ShadowWord& word) { return says_same(word, own_) && add_to(word); }

  // Path 3. Under the granule's lock, the thread having begun its epoch. False: it is another case.
  bool take(Granule& granule);

  // The bytes of an access that its thread has not made in its present epoch; all if that does not matter, somebody
  // else having written since, perhaps.
  [[nodiscard]] static unsigned fresh_bytes(const Thread& thread, const Granule& granule, AccessKind kind,
                                            unsigned mask, bool counts_writes) {
    unsigned done = 0, others = 0;
    for (const std::atomic<ShadowWord>& at : granule.words) {
      const ShadowWord word = at.load(std::memory_order_relaxed);
      done |= same_bytes(thread, kind, word);
      if (counts_writes) others |= written_by_others(thread, word);
    }
    return (others & mask) == 0 ? mask & ~done : mask;
  }

 private:
  friend class AtomicStep;

  // Which bytes a word says that the thread has accessed at its present epoch already.
  [[nodiscard, gnu::always_inline]] static unsigned same_bytes(const Thread& thread, AccessKind now, ShadowWord word) {
    return stands_for(word.kind(), now) && word.slot() == thread.slot && word.clock() == thread.time ? word.bytes()
                                                                                                     : 0u;
  }
  [[nodiscard, gnu::always_inline]] static unsigned written_by_others(const Thread& thread, ShadowWord word) {
    return is_write(word.kind()) && word.slot() != thread.slot ? word.bytes() : 0u;
  }

  static constexpr ShadowWord kApart = {};
  static constexpr ShadowWord kUnknown = ShadowWord::nobody();
  // A word with other bytes too, if it says the same as `own`, but for the stack perhaps: then its stack is per byte.
  // Unknown: whether there is such a stack takes longer to find out.
  [[nodiscard, gnu::always_inline]] static ShadowWord with_bytes(const Thread& thread, ShadowWord word, ShadowWord own,
                                                                 unsigned mask) {
    if (!says_same(word, own)) return kApart;
    if (word.stack_bits() == own.stack_bits()) return word.with(mask);
    const KnownPerByteStacks::Entry& known = thread.known_per_byte.of(pair_of(word, own, mask));
    if (known.pair != pair_of(word, own, mask)) return kUnknown;
    return known.mixed == KnownPerByteStacks::kNone ? kApart : word.with_stack_bits(known.mixed).with(mask);
  }
  [[nodiscard, gnu::always_inline]] static uint64_t pair_of(ShadowWord word, ShadowWord own, unsigned mask) {
    return word.stack_bits() | own.stack_bits() << 22 | uint64_t{word.bytes()} << 44 | uint64_t{mask} << 52;
  }
  [[nodiscard, gnu::always_inline]] static bool says_same(ShadowWord word, ShadowWord own) {
    return !word.is_none() && word.equals_in(own, ~ShadowWord::kBitsOfStack & ~ShadowWord::kBitsOfBytes);
  }

  // What an access leaves of a word, none of none, where there are those of others. Unknown is what races, and what
  // takes longer to find out.
  template <AccessKind Kind>
  [[nodiscard, gnu::always_inline]] static ShadowWord left_beside(const Thread& thread, bool lockless, bool heeds,
                                                                  ShadowWord word, LocksCode locks, unsigned mask) {
    if (word.is_none() || !word.touches(mask)) return word;
    if (is_of_life(word.kind())) return kUnknown;
    const Related related = relate(FixedKind<Kind>{}, word, KnownByNumber(thread, lockless, word, locks));
    if (!related.agrees() || related.covered == Covered::kUnknown) return kUnknown;
    // What is handed over orders more. A write may take out what another has read (order.md).
    if (related.how == Relation::kExcluded && heeds && (!is_write(Kind) || word.kind() == AccessKind::kRead)) {
      return kUnknown;
    }
    return related.covered == Covered::kYes ? word.without(mask) : word;
  }

  // The bytes with a write that an increment continues. One that goes hands on what it continued itself.
  [[nodiscard]] static unsigned continued(const ShadowWord (&words)[kPlaces], const bool (&goes)[kPlaces],
                                          uint32_t second) {
    unsigned continues = 0;
    for (unsigned i = 0; i < kPlaces; ++i) {
      const unsigned at = second >> 2 * i & 3;
      const ShadowWord word = at == kNoPlace ? ShadowWord() : words[at];
      if (word.is_none() || !is_write(word.kind())) continue;
      const unsigned written = word.bytes();
      const unsigned added = word.is_rmw() ? written : 0;
      continues = (continues & ~written) | (goes[at] ? added & continues : written);
    }
    return continues;
  }

  [[nodiscard, gnu::always_inline]] static unsigned without(unsigned order, unsigned place) {
    for (unsigned i = 0; i < kPlaces; ++i) {
      if ((order >> 2 * i & 3) == place) order |= kNoPlace << 2 * i;
    }
    return order;
  }

  // What is left of a word; false: it is another case.
  [[gnu::always_inline]] bool judge(ShadowWord& stays, LocksCode locks) {
    const ShadowWord word = stays;
    const Slot slot = word.slot();
    const ClockValue clock = word.clock();
    if (counts_writes_ && is_own(thread_, slot, clock) && clock >= thread_.segment_since) adds_ |= word.bytes();
    unsigned left = word.bytes();
    if (word.touches(mask_)) {
      const auto locks_then = [&] { return segments_.at(slot, clock, locks); };
      const Related related =
          relate(AnyKind{kind_}, word, KnownExactly(context_, thread_, slot, clock, word.kind(), locks_then));
      if (related.how == Relation::kSame || !related.agrees()) return false;
      if (related.covered == Covered::kYes) left &= ~mask_;
    }
    if (counts_writes_ && is_write(word.kind())) {
      const unsigned added = word.is_rmw() ? word.bytes() : 0;
      const unsigned handed_on = is_of_life(word.kind()) ? 0 : left | (added & continues_);
      continues_ = (continues_ & ~word.bytes()) | (handed_on & word.bytes());
    }
    stays = word.without(word.bytes() & ~left);
    return true;
  }

  // Of one that agrees.
  [[nodiscard]] bool is_superseded(ShadowWord word) const {
    return supersedes(kind_, mask_, adds_, word.kind(), word.bytes(), word.slot() == thread_.slot) &&
           ordered_before(thread_.clocks.full, thread_, word.slot(), word.clock());
  }
  // What words of the thread say now, but for the bytes. (Not from its check, which others may spoil at any time.)
  [[nodiscard, gnu::always_inline]] static ShadowWord says(const Thread& thread, AccessKind kind, StackId where) {
    return ShadowWord::of_one_stack(ShadowWord::epoch_of(thread.slot, thread.time), kind, 0, where);
  }
  // Gives the access' bytes to a shadow word that says the same.
  bool add_to(ShadowWord& word);

  const EngineContext& context_;
  const SegmentLocks& segments_;
  Thread& thread_;
  const AccessKind kind_;
  const unsigned mask_;
  const bool counts_writes_;
  unsigned adds_;           // the bytes that an increment writes
  unsigned continues_ = 0;  // those with a write before ours that it continues
  const ShadowWord own_;    // what shadow words of such accesses say, but for the bytes
};

}  // namespace norn
