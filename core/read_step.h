// What most reads of data that many threads read do: they put their stamp into the thread's row (core/read_rows.h).
#pragma once

#include "core/read_rows.h"
#include "core/step.h"

namespace norn {

class ReadStep {
 public:
  // Under the granule's lock; its list is empty. `row`: the thread's own. `stamp`: what its stamps of such reads say
  // now, but for the bytes. False: it is another case, and nothing was done.
  [[nodiscard, gnu::always_inline]] static bool take(const Thread& thread, bool lockless, Granule& granule,
                                                     ReadBlock::Row& row, unsigned index, uint64_t stamp,
                                                     unsigned mask) {
    const uint32_t order = granule.cells[1].load(std::memory_order_relaxed);
    const unsigned place = thread.slot & 1u;
    // What is in the granule itself: no more than one, as a rule the last write.
    const unsigned other = order & 3;
    uint64_t bits = 0;
    if (other != GranuleStep::kNoPlace) {
      bits = granule.stamps[other].load(std::memory_order_relaxed);
      if ((order >> 2 & 3) != GranuleStep::kNoPlace || !is_harmless(thread, lockless, bits)) return false;
    }
    const uint64_t bytes = uint64_t{mask} << PackedStamp::kMaskAt;
    ReadsInRow reads = ReadsInRow::of(row, index);
    const uint64_t now = read_now(thread, reads.first) | read_now(thread, reads.second);
    if ((bytes & ~now) != 0) {
      reads.first = left_of(thread, lockless, reads.first, bytes);
      reads.second = left_of(thread, lockless, reads.second, bytes);
      if (!reads.add(ReadInRow::from_stamp(stamp, thread.stamps_locks) | (bytes & ~now))) return false;
      reads.write_to(row, index);
    }
    // For the check: all that the thread has read now. The place does not matter to it.
    if (other == place) {
      granule.stamps[2].store(bits, std::memory_order_relaxed);
      granule.cells[1].store(
          (GranuleStep::kNoOrder & ~3u) | 2u | kInRows | GranuleStep::locks_in(2, GranuleStep::locks_at(order, place)),
          std::memory_order_relaxed);
    }
    granule.stamps[place].store(stamp | bytes | now, std::memory_order_relaxed);
    return true;
  }

 private:
  // Whether a stamp has no bearing on a read of the thread now: it is ordered before it, or a read of another.
  [[nodiscard, gnu::always_inline]] static bool is_harmless(const Thread& thread, bool lockless, uint64_t bits) {
    const Slot slot = GranuleStep::slot_of(bits);
    const Time time = GranuleStep::time_of(bits);
    if (GranuleStep::kind_of(bits) == AccessKind::kRead) return slot != thread.slot;
    return ordered_before(lockless ? thread.clocks.full : thread.clocks.strong, thread, slot, time);
  }

  // The bytes of a read that was made at the thread's present time.
  [[nodiscard, gnu::always_inline]] static uint64_t read_now(const Thread& thread, uint64_t read) {
    return ReadInRow::time(read) == thread.time ? read & ReadInRow::kBytes : 0;
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
