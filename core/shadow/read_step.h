// What most reads of data that many threads read do: they put their stamp into the thread's row
// (core/shadow/read_table.h).
//
// Where there is nothing else in the granule but a write that is known to come before, this needs no lock, and writes
// nowhere but in the row. The thread puts its read there by an exchange and looks at the granule then; who writes locks
// the granule, looks at the rows then, and unlocks after its stamp is there. The exchange and the lock are in one
// order: if the lock came later, the writer finds the read. If it came earlier, the reader finds the granule locked
// (and takes its read back, to come again with the lock), or the write in it. So one of the two finds the other. What
// the reader takes back may have been made superfluous meanwhile: that it stays costs nothing but another look.
//
// The first two places of such a granule have copies of reads, for the checks of their threads, and nothing else. So
// those, too, are written without the lock. (Where the memory becomes new at this very moment, by a thread that is not
// ordered with the read, the copy may take the place of the new owner's stamp, as if the read had come after it.)
#pragma once

#include "core/shadow/read_table.h"
#include "core/shadow/step.h"

namespace norn {

class ReadStep {
 public:
  // Where the granule of a write, or of whatever else it keeps beside its reads, has it.
  static constexpr unsigned kPlace = 2;

  // Whether the thread has read these bytes at its present time. What it has of that time stays, until the memory is
  // new.
  [[nodiscard, gnu::always_inline]] static bool has_read(const Thread& thread, Granule& granule,
                                                         const ReadBlock::Row& row, unsigned index, unsigned mask) {
    const uint64_t now = read_now(thread, ReadsInRow::of(row, index));
    if ((uint64_t{mask} << PackedStamp::kMaskAt & ~now) != 0) return false;
    put_copy(thread, granule, now);
    return true;
  }

  // Without the lock. `empty`: the list of granules that have none. False: it is another case, and nothing was done.
  [[nodiscard, gnu::always_inline]] static bool take_alone(const Thread& thread, bool lockless, Granule& granule,
                                                           HistoryId empty, ReadBlock::Row& row, unsigned index,
                                                           uint64_t read, unsigned mask) {
    const uint64_t before = row.first[index].load(std::memory_order_relaxed);
    uint64_t after = before;
    if (!add_alone(thread, lockless, after, read, mask)) return false;
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
                                               ReadBlock::Row& row, unsigned index, uint64_t read) {
      const uint64_t before = row.first[index].load(std::memory_order_relaxed);
      uint64_t after = before;
      if (!add_alone(thread, lockless, after, read, 0xff)) return false;
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
        if (copies) put_copy(thread, *all_[right].granule, ReadInRow::kBytes);
      }
      for (unsigned i = right; i < count_; ++i) all_[i].place->store(all_[i].before, std::memory_order_relaxed);
      return right;
    }

   private:
    struct One {
      Granule* granule;
      std::atomic<uint64_t>* place;
      uint64_t before;
    };
    One all_[kMost];
    unsigned count_ = 0;
  };

  // Under the granule's lock, where no other stamp speaks against it. False: the row has no room for it.
  [[nodiscard]] static bool take(const Thread& thread, bool lockless, Granule& granule, ReadBlock::Row& row,
                                 unsigned index, uint64_t read, unsigned mask) {
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
    const uint64_t other = alone ? 0 : granule.stamps[kPlace].load(std::memory_order_relaxed);
    return other == 0 || is_harmless(thread, lockless, other);
  }
  // Whether a stamp has no bearing on a read of the thread now: it is ordered before it, or a read.
  [[nodiscard, gnu::always_inline]] static bool is_harmless(const Thread& thread, bool lockless, uint64_t bits) {
    return GranuleStep::kind_of(bits) == AccessKind::kRead ||
           ordered_before(lockless ? thread.clocks.full : thread.clocks.strong, thread, GranuleStep::slot_of(bits),
                          GranuleStep::time_of(bits));
  }

  // The bytes that were read at the thread's present time.
  [[nodiscard, gnu::always_inline]] static uint64_t read_now(const Thread& thread, uint64_t read) {
    return ReadInRow::time(read) == thread.time ? read & ReadInRow::kBytes : 0;
  }
  [[nodiscard, gnu::always_inline]] static uint64_t read_now(const Thread& thread, const ReadsInRow& reads) {
    return read_now(thread, reads.first) | read_now(thread, reads.second);
  }

  // Where the thread's check looks. To that the place of the read does not matter.
  [[gnu::always_inline]] static void put_copy(const Thread& thread, Granule& granule, uint64_t bytes) {
    const uint64_t copy =
        uint64_t{thread.slot} << PackedStamp::kSlotAt | uint64_t{thread.time} << PackedStamp::kTimeAt | bytes;
    granule.stamps[thread.slot & 1u].store(copy, std::memory_order_relaxed);
  }

  // What a row has after a read of these bytes. False: it has no room.
  [[nodiscard, gnu::always_inline]] static bool add(const Thread& thread, bool lockless, ReadsInRow& reads,
                                                    uint64_t read, unsigned mask) {
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt & ~read_now(thread, reads);
    if (bytes == 0) return true;
    reads.first = left_of(thread, lockless, reads.first, bytes);
    if (reads.second != 0) reads.second = left_of(thread, lockless, reads.second, bytes);
    return reads.add(read | bytes);
  }

  // The same where a row has but one, which it is to stay.
  [[nodiscard, gnu::always_inline]] static bool add_alone(const Thread& thread, bool lockless, uint64_t& first,
                                                          uint64_t read, unsigned mask) {
    ReadsInRow reads = {first, 0};
    if ((first & ReadInRow::kIsFirst) != 0 || !add(thread, lockless, reads, read, mask) || reads.second != 0) {
      return false;
    }
    first = reads.first;
    return true;
  }

  // What a later read of these bytes leaves of one. 0 of 0.
  [[nodiscard, gnu::always_inline]] static uint64_t left_of(const Thread& thread, bool lockless, uint64_t read,
                                                            uint64_t bytes) {
    const Time time = ReadInRow::time(read);
    const LocksCode locks = ReadInRow::locks(read);
    const bool no_better =
        lockless || thread.lockset == kNoLocks || (locks == thread.stamps_locks && locks != SegmentLocks::kOfItsTime);
    const bool superfluous =
        time != thread.time && no_better && ordered_before(thread.clocks.strong, thread, thread.slot, time);
    return superfluous ? ReadInRow::without(read, bytes) : read;
  }
};

}  // namespace norn
