// What most reads of data that many threads read do: they put their shadow word into the thread's row
// (core/shadow/read_table.h).
//
// Where there is nothing else in the granule but a write that is known to come before, this needs no lock, and writes
// nowhere but in the row. The thread puts its read there by an exchange and looks at the granule then; who writes locks
// the granule, looks at the rows then, and unlocks after its shadow word is there. The exchange and the lock are in one
// order: if the lock came later, the writer finds the read. If it came earlier, the reader finds the granule locked
// (and takes its read back, to come again with the lock), or the write in it. So one of the two finds the other. What
// the reader takes back may have been made superfluous meanwhile: that it stays costs nothing but another look.
//
// The first two places of such a granule have copies of reads, for the checks of their threads, and nothing else. So
// those, too, are written without the lock. (Where the memory becomes new at this very moment, by a thread that is not
// ordered with the read, the copy may take the place of the new owner's shadow word, as if the read had come after it.)
#pragma once

#include "core/shadow/read_table.h"
#include "core/shadow/relation.h"
#include "core/shadow/step.h"

namespace norn {

class ReadStep {
 public:
  // Where the granule of a write, or of whatever else it keeps beside its reads, has it.
  static constexpr unsigned kPlace = GranuleWords::kBesideTable;

  // Whether the thread has read these bytes at its present epoch. What it has of that time stays, until the memory is
  // new.
  [[nodiscard, gnu::always_inline]] static bool has_read(const Thread& thread, Granule& granule,
                                                         const ReadBlock::Row& row, unsigned index, unsigned mask) {
    const unsigned now = read_now(thread, ReadsInRow::of(row, index));
    if ((mask & ~now) != 0) return false;
    put_copy(thread, granule, now);
    return true;
  }

  // Without the lock. `empty`: the list of granules that have none. False: it is another case, and nothing was done.
  [[nodiscard, gnu::always_inline]] static bool take_alone(const Thread& thread, bool lockless, Granule& granule,
                                                           HistoryId empty, ReadBlock::Row& row, unsigned index,
                                                           ShadowWord read, unsigned mask) {
    const ShadowWord before = row.first[index].load(std::memory_order_relaxed);
    ShadowWord after = before;
    if (!add_to_first(thread, lockless, row, index, after, read, mask)) return false;
    if constexpr (kOneAtATime) {
      row.first[index].store(after, std::memory_order_relaxed);
    } else {
      row.first[index].exchange(after, std::memory_order_seq_cst);
    }
    if (!is_alone(thread, lockless, granule, empty)) [[unlikely]] {
      row.first[index].store(before, std::memory_order_relaxed);
      return false;
    }
    put_copy(thread, granule, read_now(thread, after));
    return true;
  }

  // Many of these one after the other, of all bytes: each is put into its row, and all granules are looked at then, so
  // that one barrier stands for all exchanges.
  class Together {
   public:
    static constexpr unsigned kMost = 32;

    [[nodiscard]] bool is_full() const { return count_ == kMost; }
    // False: it is another case, and nothing was done.
    [[nodiscard, gnu::always_inline]] bool put(const Thread& thread, bool lockless, Granule& granule,
                                               ReadBlock::Row& row, unsigned index, ShadowWord read) {
      const ShadowWord before = row.first[index].load(std::memory_order_relaxed);
      ShadowWord after = before;
      if (!add_to_first(thread, lockless, row, index, after, read, ShadowWord::kAllBytes)) return false;
      row.first[index].store(after, std::memory_order_relaxed);
      all_[count_++] = {&granule, &row.first[index], before};
      return true;
    }
    // How many of them were right, from the first on. The others are taken back. `copies`: for the thread's checks.
    [[nodiscard]] unsigned finish(const Thread& thread, bool lockless, HistoryId empty, bool copies) {
      if (count_ == 0) return 0;
      if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);
      unsigned right = 0;
      for (; right < count_ && is_alone(thread, lockless, *all_[right].granule, empty); ++right) {
        if (copies) put_copy(thread, *all_[right].granule, ShadowWord::kAllBytes);
      }
      for (unsigned i = right; i < count_; ++i) all_[i].place->store(all_[i].before, std::memory_order_relaxed);
      return right;
    }

   private:
    struct One {
      Granule* granule;
      std::atomic<ShadowWord>* place;
      ShadowWord before;
    };
    One all_[kMost];
    unsigned count_ = 0;
  };

  // Under the granule's lock, where no other shadow word speaks against it. False: the row has no room for it.
  [[nodiscard]] static bool take(const Thread& thread, bool lockless, Granule& granule, ReadBlock::Row& row,
                                 unsigned index, ShadowWord read, unsigned mask) {
    ReadsInRow reads = ReadsInRow::of(row, index);
    if (!add(thread, lockless, reads, read, mask)) return false;
    reads.write_to(row, index);
    put_copy(thread, granule, read_now(thread, reads));
    return true;
  }

 private:
  // After the read is in its row: whether the granule has nothing that has a bearing on it, and is not locked.
  [[nodiscard, gnu::always_inline]] static bool is_alone(const Thread& thread, bool lockless, const Granule& granule,
                                                         HistoryId empty) {
    if (granule.cells[0].load(std::memory_order_seq_cst) != empty) return false;
    const bool alone = (granule.cells[1].load(std::memory_order_relaxed) & 3) == GranuleStep::kNoPlace;
    const ShadowWord other = alone ? ShadowWord() : granule.words[kPlace].load(std::memory_order_relaxed);
    return other.is_none() ||
           relate(FixedKind<AccessKind::kRead>{}, other, KnownOrder(thread, lockless, other)).agrees();
  }
  // What this path knows of the one word beside the reads: whether it is ordered before. Its locks are for the next.
  class KnownOrder {
   public:
    [[gnu::always_inline]] KnownOrder(const Thread& thread, bool lockless, ShadowWord then)
        : thread_(thread), lockless_(lockless), then_(then) {}
    [[nodiscard, gnu::always_inline]] static bool is_now() { return false; }
    [[nodiscard, gnu::always_inline]] bool is_ordered() const {
      return ordered_before(lockless_ ? thread_.clocks.full : thread_.clocks.strong, thread_, then_.slot(),
                            then_.clock());
    }
    [[nodiscard, gnu::always_inline]] static Relation keeps_apart() { return Relation::kUnknown; }
    [[nodiscard, gnu::always_inline]] static Covered no_better() { return Covered::kUnknown; }

   private:
    const Thread& thread_;
    const bool lockless_;
    const ShadowWord then_;
  };

  // The bytes that were read at the thread's present epoch.
  [[nodiscard, gnu::always_inline]] static unsigned read_now(const Thread& thread, ShadowWord read) {
    return read.clock() == thread.time ? read.bytes() : 0;
  }
  [[nodiscard, gnu::always_inline]] static unsigned read_now(const Thread& thread, const ReadsInRow& reads) {
    return read_now(thread, reads.first) | read_now(thread, reads.second);
  }

  // Where the thread's check looks. To that the stack of the read does not matter.
  [[gnu::always_inline]] static void put_copy(const Thread& thread, Granule& granule, unsigned bytes) {
    const ShadowWord copy =
        ShadowWord::of_one_stack(ShadowWord::epoch_of(thread.slot, thread.time), AccessKind::kRead, bytes, kNoStack);
    granule.words[thread.slot & 1u].store(copy, std::memory_order_relaxed);
  }

  // What a row has after a read of these bytes: the newest is its first. False: it has no room.
  [[nodiscard, gnu::always_inline]] static bool add(const Thread& thread, bool lockless, ReadsInRow& reads,
                                                    ShadowWord read, unsigned mask) {
    const unsigned bytes = mask & ~read_now(thread, reads);
    if (bytes == 0) return true;
    reads.first = left_of(thread, lockless, reads.first, bytes);
    if (!reads.second.is_none()) reads.second = left_of(thread, lockless, reads.second, bytes);
    if (!reads.first.is_none() && reads.second.is_none() && !ReadInRow::are_same(reads.first, read)) {
      reads.second = reads.first;
      reads.first = {};
    }
    return reads.add(read.with(bytes));
  }

  // The same where only the first is to be changed; `first` as the row has it, with its mark. The second stays, or
  // counts no more. (What nothing protected is there, under whatever locks it is read again.)
  [[nodiscard, gnu::always_inline]] static bool add_to_first(const Thread& thread, bool lockless,
                                                             const ReadBlock::Row& row, unsigned index,
                                                             ShadowWord& first, ShadowWord read, unsigned mask) {
    const ShadowWord second =
        ReadInRow::has_second(first) ? row.second[index].load(std::memory_order_relaxed) : ShadowWord();
    ReadsInRow reads = {ReadInRow::unmarked(first), second};
    if (!add(thread, lockless, reads, read, mask) || reads.first.is_none()) return false;
    if (!reads.second.is_none() && reads.second != second) return false;
    first = reads.second.is_none() ? reads.first : ReadInRow::marked(reads.first);
    return true;
  }

  // What a later read of these bytes leaves of one in the thread's own row. None of none.
  [[nodiscard, gnu::always_inline]] static ShadowWord left_of(const Thread& thread, bool lockless, ShadowWord read,
                                                              unsigned bytes) {
    const Related related = relate(FixedKind<AccessKind::kRead>{}, PastReadKind{}, KnownInRow(thread, lockless, read));
    return related.how == Relation::kOrdered && related.covered == Covered::kYes ? read.without(bytes) : read;
  }
  struct PastReadKind {
    template <unsigned Set>
    [[nodiscard, gnu::always_inline]] static constexpr bool is_one_of() {
      return (Set >> static_cast<unsigned>(AccessKind::kRead) & 1) != 0;
    }
    [[nodiscard, gnu::always_inline]] static constexpr bool is_birth() { return false; }
  };
  class KnownInRow {
   public:
    [[gnu::always_inline]] KnownInRow(const Thread& thread, bool lockless, ShadowWord read)
        : thread_(thread), lockless_(lockless), read_(read) {}
    [[nodiscard, gnu::always_inline]] bool is_now() const { return read_.clock() == thread_.time; }
    [[nodiscard, gnu::always_inline]] bool is_ordered() const {
      return ordered_before(thread_.clocks.strong, thread_, thread_.slot, read_.clock());
    }
    [[nodiscard, gnu::always_inline]] static Relation keeps_apart() { return Relation::kUnknown; }
    [[nodiscard, gnu::always_inline]] Covered no_better() const {
      const LocksCode locks = ReadInRow::locks(read_);
      const uint32_t then = ShadowWord::epoch_of(thread_.slot, read_.clock());
      if (lockless_ || thread_.lockset == kNoLocks || has_same_locks(thread_, then, locks)) return Covered::kYes;
      return is_own(thread_, thread_.slot, read_.clock()) ? covers_own_read(thread_, then, locks) : Covered::kUnknown;
    }

   private:
    const Thread& thread_;
    const bool lockless_;
    const ShadowWord read_;
  };
};

}  // namespace norn
