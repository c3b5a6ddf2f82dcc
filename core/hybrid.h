// hb and hybrid: one shadow state, two clocks.
//
// A history is the set of accesses that a future access may still race with: stamps of (thread, time, lockset, kind,
// bytes), oldest first. A stamp is dropped when a later one makes it superfluous: everything that would race with
// the old one races with the new one too, and with at least the same standing. That is the case when the old is
// ordered before the new (strongly for hybrid, fully for hb), the new one's kind conflicts with all that the old
// one's does, and (hybrid) the new one's locks protect it no better. So what is kept is exact, not a sample:
// docs/design/history.md has the argument.
//
// `observed` is unordered in full; `predicted` is ordered in full only, without common protection: O'Callahan and
// Choi's condition (PPoPP 2003) on the strong relation, as RaceFuzzer's first phase uses it (PLDI 2008, §2.2).
#pragma once

#include "core/engine.h"

namespace norn {

struct Stamp {
  Slot slot;
  uint8_t mask;
  AccessKind kind;
  Time time;
  LocksetId lockset;
  Where where;
  uint8_t adds;  // the bytes written after another access of the same segment, or by an rmw: increments, for spins
};

class HybridEngine {
 public:
  static constexpr unsigned kHeaderWords = 1;
  static constexpr unsigned kStampWords = 4;

  // Pure; see core/engine.h. Returns `before` itself if nothing changes or no memory is left.
  static HistoryId next(const EngineContext& context, Thread& thread, HistoryId before, const WordAccess& access,
                        uint32_t set_flags, uint32_t clear_flags, FoundRaces& races);

  // The history of one access alone.
  static HistoryId alone(Histories& table, Thread& thread, const WordAccess& access);
  // What an access does where the history is one stamp without flags, in the cases that are most frequent: nothing, or
  // it alone is left. kOther: ask next().
  enum class Outcome : uint8_t { kNothing, kAlone, kOther };
  static Outcome after_one(const EngineContext& context, const Thread& thread, const uint32_t* words,
                           const WordAccess& access);

  static Stamp stamp(const uint32_t* words, unsigned i);
  static unsigned stamps(const Histories& table, HistoryId history);
  // The signal of one byte of the word (order.md, Spinning reads): calls found(slot, time) for each of its writes.
  template <class Found>
  static void signal(const Histories& table, HistoryId history, unsigned byte, Found found) {
    for (unsigned i = stamps(table, history); i > 0; --i) {
      const Stamp s = stamp(table.words(history), i - 1);
      if (!is_write(s.kind) || (s.mask >> byte & 1) == 0) continue;
      if (s.kind == AccessKind::kFree) return;
      found(s.slot, s.time);
      if ((s.adds >> byte & 1) == 0) return;
    }
  }
  // Whether one of its stamps is of such an access by the thread, at its present time.
  static bool stamped_alike(const Histories& table, HistoryId history, const Thread& thread, const WordAccess& access);
  // The bytes of the word that the thread accessed in its present segment.
  static uint8_t accessed_in_segment(const Histories& table, HistoryId history, const Thread& thread);
};

// The rows of order.md's table.
[[nodiscard]] bool conflicts(AccessKind a, AccessKind b);
// Everything that conflicts with b conflicts with a.
[[nodiscard]] bool covers(AccessKind a, AccessKind b);

}  // namespace norn
