// What the engines have in common: an engine is a function from what a location remembers before an access to what it
// remembers after it, and the races found on the way, which are told only when the location was changed.
#pragma once

#include "core/candidate.h"
#include "core/order/lockset.h"
#include "core/order/thread.h"
#include "core/shadow/per_byte_stacks.h"
#include "core/storage/histories.h"
#include "core/storage/intern.h"

namespace norn {

struct Options {
  EngineKind engine = EngineKind::kHybrid;
  ConditionMode condition = ConditionMode::kOff;
  bool conditions = true;        // the program may use condition variables; off: until expect_conditions()
  bool spin = true;              // honour spin-reads; off: they are plain reads
  bool handover = true;          // who reads under a lock what was written under it is ordered after that (hybrid)
  bool library = true;           // off: of all synchronization only fork, join and spins count
  bool sampled = false;          // not every access is told; Detector::observe_only() sets it
  Time time_limit = ~Time{0};    // a thread moves to another slot before its time reaches it; for tests
  unsigned log2_histories = 17;  // units of 16 bytes of histories that are made between collections, at least
  size_t memory_limit = 0;       // bytes of history, about; 0: as much as the shadow takes
  unsigned history_cap = 160;    // stamps a location remembers at most; then old ones go
  // Where the embedding reserved zeroed memory, Shadow::kFlatBytes, for the granules of all addresses that
  // Shadow::is_flat() names. 0: there is none.
  uintptr_t shadow_at = 0;
};

// Whether it matters in which order, and by which increments, bytes were written.
[[nodiscard]] constexpr bool follows_writes(const Options& options) { return options.spin || options.handover; }

// The first word of every history.
enum HistoryFlag : uint32_t {
  kInSpin = 0xf,     // bit i: some thread waits for byte i of the word in a loop: writes to it signal
  kHasMessage = 16,  // an atomic in this word may have a message: plain writes end it
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

// The races an access was in; told after it took place.
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
  std::atomic<uint64_t>* forgotten = nullptr;  // stamps dropped because of history_cap
  PerByteStacks* per_byte = nullptr;
};

// Done by the thread itself, and not by one whose slot it goes on in (begin_again()).
[[nodiscard, gnu::always_inline]] inline bool is_own(const Thread& thread, Slot slot, Time time) {
  return slot == thread.slot && time >= thread.own_since;
}

// Strongly (or fully) ordered before what `thread` does now.
[[nodiscard, gnu::always_inline]] inline bool ordered_before(const Clock& known, const Thread& thread, Slot slot,
                                                             Time time) {
  return is_own(thread, slot, time) || known.get(slot) >= time;
}

// Fills in a pair and its standing-independent parts.
void describe_pair(const EngineContext& context, RacingPair& pair, const Thread& thread, const WordAccess& access,
                   uint8_t common, AccessKind earlier, Slot slot, Time time, LocksetId lockset, StackId where);

}  // namespace norn
