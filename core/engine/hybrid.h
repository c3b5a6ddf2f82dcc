// hb and hybrid: one shadow state, two clocks.
//
// A granule keeps the set of accesses that a future access may still race with: shadow words of (thread, time, lockset,
// kind, bytes), oldest first. A shadow word is dropped when a later one makes it superfluous: everything that would
// race with the old one races with the new one too, and with at least the same standing. That is the case when the old
// is ordered before the new (strongly for hybrid, fully for hb), the new one's kind conflicts with all that the old
// one's does, and (hybrid) the new one's locks protect it no better. So what is kept is exact, not a sample:
// docs/design/history.md has the argument.
//
// `observed` is unordered in full; `predicted` is ordered in full only, without common protection: O'Callahan and
// Choi's condition (PPoPP 2003) on the strong relation, as RaceFuzzer's first phase uses it (PLDI 2008, §2.2).
#pragma once

#include "core/engine/engine.h"
#include "core/order/segment_locks.h"
#include "core/shadow/check_layout.h"

namespace norn {

struct PastAccess {
  Slot slot;
  uint8_t mask;
  AccessKind kind;
  ClockValue time;
  LocksetId lockset;
  StackId where;    // or a mixed one
  uint8_t adds;     // the bytes written after another access of the same segment, or by an rmw: increments, for spins
  bool packs;       // it is known that it may be in a granule: slot, time and locks fit
  LocksCode locks;  // if so
  bool superseded = false;  // by the access that is judged now: see HybridEngine::Judged

  // As a shadow word, and a byte of its own for the locks. It fits().
  [[nodiscard]] ShadowWord packed() const {
    return ShadowWord::of(ShadowWord::epoch_of(slot, time), kind, mask, where, adds != 0);
  }
  [[nodiscard]] bool fits() const { return packs && ShadowWord::any_stack_fits(where) && (adds == 0 || adds == mask); }
  [[nodiscard]] static PastAccess unpacked(const SegmentLocks& segments, ShadowWord word, LocksCode locks) {
    const auto mask = static_cast<uint8_t>(word.bytes());
    return {word.slot(),
            mask,
            word.kind(),
            word.clock(),
            segments.at(word.slot(), word.clock(), locks),
            word.stack(),
            word.is_rmw() ? mask : uint8_t{0},
            true,
            locks};
  }
};

// All shadow words of a granule, oldest first. Not initialised: most granules have few.
struct AccessHistory {
  static constexpr unsigned kMax = 163;
  static constexpr unsigned kRead = kMax + 3;  // a list, and the words that stand in the granule beside it
  unsigned count;
  unsigned listed;  // so many of the first came from the list
  // So many of the first must not be where their threads take them for the newest: see HybridEngine::next().
  unsigned overwritten;
  PastAccess all[kRead];

  // More than a list has room for: the oldest go.
  void forget_oldest(unsigned many) {
    for (unsigned i = many; i < count; ++i) all[i - many] = all[i];
    count -= many;
    listed = listed > many ? listed - many : 0;
    overwritten = overwritten > many ? overwritten - many : 0;
  }
};

class HybridEngine {
 public:
  // How shadow words are kept in a history.
  static constexpr unsigned kHeaderWords = 1;
  static constexpr unsigned kPastWords = 5;
  static PastAccess load_past(const uint32_t* words, unsigned i) {
    const uint32_t* w = words + kHeaderWords + i * kPastWords;
    return {static_cast<Slot>(w[0] & 0xffff),
            static_cast<uint8_t>(w[0] >> 16 & 0xff),
            static_cast<AccessKind>(w[0] >> 24),
            w[1],
            w[2],
            w[3],
            static_cast<uint8_t>(w[4]),
            false,
            0};
  }
  static uint8_t read_mask(const uint32_t* words, unsigned i) {
    return static_cast<uint8_t>(words[kHeaderWords + i * kPastWords] >> 16);
  }
  static void store_past(uint32_t* words, unsigned i, const PastAccess& past) {
    uint32_t* w = words + kHeaderWords + i * kPastWords;
    w[0] = past.slot | uint32_t{past.mask} << 16 | static_cast<uint32_t>(past.kind) << 24;
    w[1] = past.time;
    w[2] = past.lockset;
    w[3] = past.where;
    w[4] = past.adds;
  }

  // Makes one of shadow words that say the same of different bytes but for the place, as far as the order of writes
  // allows.
  static void consolidate(const EngineContext& context, AccessHistory& history);

  // The shadow words after an access from those before it, and the races that it is in. `in_spin`: the bytes that
  // somebody waits for in a loop. False: nothing changes. No side effects; a read of what is immutable or the thread's
  // own.
  static bool next(const EngineContext& context, const Thread& thread, AccessHistory& history, unsigned in_spin,
                   unsigned accessed, const WordAccess& access, FoundRaces& races);

  // The bytes of an access that its very segment has not accessed so yet.
  static unsigned fresh_bytes(const EngineContext& context, const Thread& thread, const AccessHistory& history,
                              const WordAccess& access);
  // One shadow word beside an access to these bytes: the races of the two, and what the access makes superfluous.
  struct Judged {
    unsigned superfluous = 0;
    bool strong = true;        // ordered before the access, as far as they share bytes
    bool overwritten = false;  // by a write that is not ordered with it
    bool full = false;         // ordered before it by locks, too, and they share bytes
  };
  static Judged judge(const EngineContext& context, const Thread& thread, const PastAccess& past, unsigned in_spin,
                      unsigned fresh, const WordAccess& access, FoundRaces& races);

  // Whether the access is in no race with the one that left the shadow word.
  static bool agrees(const EngineContext& context, const Thread& thread, const PastAccess& past,
                     const WordAccess& access);

  // The signal of one byte (order.md, Spinning reads): calls found(access) for each of its writes, the last first, as
  // long as that says true.
  template <class Found>
  static void signal(const AccessHistory& history, unsigned byte, const Found& found) {
    for (unsigned i = history.count; i > 0; --i) {
      const PastAccess& s = history.all[i - 1];
      if (!is_write(s.kind) || (s.mask >> byte & 1) == 0) continue;
      if (is_of_life(s.kind)) return;
      if (!found(s) || (s.adds >> byte & 1) == 0) return;
    }
  }
  // The bytes that the thread accessed in its present segment.
  static uint8_t accessed_in_segment(const AccessHistory& history, const Thread& thread);
};

}  // namespace norn
