// What the engines have in common: an engine is a function from what a location remembers before an access to what it
// remembers after it, and the races found on the way, which are reported only when the location was changed.
#pragma once

#include "core/candidate.h"
#include "core/detector_options.h"
#include "core/order/lockset.h"
#include "core/order/thread.h"
#include "core/shadow/per_byte_stacks.h"
#include "core/storage/histories.h"
#include "core/storage/intern.h"

namespace norn {

// The first word of every history.
enum HistoryFlag : uint32_t {
  kInSpin = 0xf,          // bit i: some thread waits for byte i of the word in a loop: writes to it signal
  kHasReleaseClock = 16,  // an atomic in this word may have a release clock: plain writes end it
};

// An access to bytes of one word, or of one granule.
struct WordAccess {
  AccessKind kind{};
  uint8_t mask = 0;  // bit i: its byte i
  StackId where = kNoStack;
  Address word = 0;
  bool increments = false;  // reads and writes in one (atomic rmw, x++), or is the read of such a pair

  // Whether what was read may decide what comes (order.md, Handed over).
  [[nodiscard]] bool may_decide() const {
    return (kind == AccessKind::kRead || kind == AccessKind::kAtomicRead) && !increments;
  }
};

// The races an access was in; reported after it took place.
struct FoundRaces {
  static constexpr unsigned kMax = 16;
  unsigned count = 0;
  union {
    RacingPair pairs[kMax];  // not initialised: most accesses are in none
  };

  FoundRaces() {}
  RacingPair* add() { return count < kMax ? &pairs[count++] : nullptr; }
};

class SegmentLocks;

struct EngineContext {
  const Options* options = nullptr;
  SegmentLocks* segments = nullptr;  // hb, hybrid
  Histories* histories = nullptr;
  InternTable* threadsets = nullptr;  // msm
  Locksets* locksets = nullptr;
  Slots* slots = nullptr;
  std::atomic<uint64_t>* forgotten = nullptr;  // shadow words dropped because of history_cap
  PerByteStacks* per_byte = nullptr;
};

// Fills in a pair and its standing-independent parts.
void describe_pair(const EngineContext& context, RacingPair& pair, const Thread& thread, const WordAccess& access,
                   uint8_t common, AccessKind earlier, Slot slot, ClockValue time, LocksetId lockset, StackId where);

}  // namespace norn
