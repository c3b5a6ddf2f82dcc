// Candidates: pairs of places that race, each kept once with a count.
#pragma once

#include <stdint.h>

#include <atomic>

#include "core/access_kind.h"
#include "core/event.h"
#include "core/storage/arena.h"

namespace norn {

struct RacingAccess {
  AccessKind kind;
  ThreadId thread;
  StackId where;
  LocksetId lockset;
};

// One racing pair as it happened. `earlier` was recorded before; `later` is the access that found it.
struct RacingPair {
  Standing standing;
  Address address;  // of the first byte in common
  uint32_t size;    // bytes in common, within one word
  RacingAccess earlier;
  RacingAccess later;
  Epoch earlier_at;
};

// Whoever frees a block that another thread allocated may have got it from a library that nobody looks into; it is no
// pair for a front end (order.md, Races).
[[nodiscard]] constexpr bool frees_what_was_born(const RacingPair& pair) {
  return pair.earlier.kind == AccessKind::kBirth && pair.later.kind == AccessKind::kFree;
}

struct Candidate {
  uint64_t site_a = 0;  // site_a <= site_b
  uint64_t site_b = 0;
  uint32_t number = 0;  // in order of discovery, from 0
  std::atomic<Standing> standing{};
  std::atomic<uint64_t> count{0};  // how many racing pairs
  RacingPair first;                // the pair that made it, or that raised its standing
  Candidate* next_in_bucket = nullptr;
  std::atomic<Candidate*> next{nullptr};  // the one found after this
};

// What the embedding does with them. `site` maps a place to the site's identity (default: the place itself).
// Called on the thread that found the pair, inside the core: it must not call the core again for this thread.
struct Listener {
  void* context = nullptr;
  uint64_t (*site)(void* context, StackId where) = nullptr;
  // Whether a pair of accesses is one of the program's at all (default: it is).
  bool (*counts)(void* context, const RacingPair& pair) = nullptr;
  // If the byte lies in memory that was last allocated at this moment (Detector::birth()), the end of that; otherwise,
  // or if it is not known, 0 (default).
  Address (*fresh_until)(void* context, Address byte, Epoch moment) = nullptr;
  // The block of the heap that the byte lies in, or lay in until it was freed just now. False: it is in none that is
  // known (default).
  bool (*block)(void* context, Address byte, Address& begin, Address& end) = nullptr;
  // A pair of sites that is new, or whose standing rose from predicted to observed.
  void (*candidate)(void* context, const Candidate& candidate) = nullptr;
  // Every racing pair, however often; for tests.
  void (*pair)(void* context, const RacingPair& pair) = nullptr;
  // Something the user should know (once each): memory used up, history forgotten, …
  void (*note)(void* context, const char* text) = nullptr;
};

class Candidates {
 public:
  bool init(Arena& arena, const Listener& listener);

  // Any thread. A known pair costs a lookup without a lock and an increment.
  void found(const RacingPair& pair);
  // Whether its sites are known, with at least its standing.
  [[nodiscard]] bool knows(const RacingPair& pair) const;

  [[nodiscard]] const Candidate* first() const { return first_.load(std::memory_order_acquire); }
  [[nodiscard]] uint32_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr unsigned kBuckets = 4096;

  struct Key {
    uint64_t site_a;  // site_a <= site_b
    uint64_t site_b;
    unsigned bucket;
  };
  [[nodiscard]] Key key_of(const RacingPair& pair) const;
  Candidate* lookup(const Key& key) const;

  Arena* arena_ = nullptr;
  Listener listener_;
  std::atomic<Candidate*>* buckets_ = nullptr;
  SpinMutex mutex_;
  std::atomic<Candidate*> first_{nullptr};
  Candidate* last_ = nullptr;
  std::atomic<uint32_t> size_{0};
};

}  // namespace norn
