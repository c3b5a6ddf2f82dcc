// Vector clocks that share what they have in common.
//
// A clock maps slots (a thread's place, reused after it ended) to times. Those of the first slots, which are all that
// most programs have, stand in the clock itself: copying and joining them takes no memory and touches nobody else's.
// The rest is an array of chunks of 16 times; chunks are immutable while shared and counted, so that copying a clock
// copies pointers, joining two clocks that come from one another skips what they share, and a chunk of threads never
// heard of is a null pointer. docs/design/clocks.md says what else was measured.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "core/ids.h"
#include "core/storage/arena.h"

namespace norn {

// Not thread-safe: a clock belongs to a thread or to an object that is locked. Chunks may be shared between clocks
// of different threads.
class VectorClock {
 public:
  constexpr VectorClock() = default;
  VectorClock(const VectorClock&) = delete;
  VectorClock& operator=(const VectorClock&) = delete;

  // A clock holds references into the arena; whoever owns it clears it before it goes.
  void clear(Arena& arena) {
    for (ClockValue& time : near_) time = 0;
    if (capacity_ != 0 || count_ != 0) clear_far(arena);
  }

  [[nodiscard, gnu::always_inline]] ClockValue get(Slot slot) const {
    if (slot < kNear) [[likely]]
      return near_[slot];
    const unsigned index = slot / kTimes;
    if (index >= count_) return 0;
    const Chunk* chunk = chunks()[index];
    return chunk == nullptr ? 0 : chunk->times[slot % kTimes];
  }
  // The same of a slot that stands here; others: nothing.
  [[nodiscard, gnu::always_inline]] ClockValue get_near(unsigned slot) const { return slot < kNear ? near_[slot] : 0; }
  [[nodiscard]] bool empty() const {
    ClockValue any = 0;
    for (const ClockValue time : near_) any |= time;
    return any == 0 && count_ == 0;
  }

  // Whether joining `other` would change nothing.
  [[nodiscard]] bool includes(const VectorClock& other) const {
    return includes_near(other) && (other.count_ == 0 || includes_far(other));
  }

  // Each returns false if the arena is used up; the clock is then valid but lacks some of what it should know.
  bool raise(Arena& arena, Slot slot, ClockValue time) {
    if (get(slot) >= time) return true;
    if (slot >= kNear) return raise_far(arena, slot, time);
    near_[slot] = time;
    return true;
  }
  bool join(Arena& arena, const VectorClock& other) {
    join_near(other);
    return other.count_ == 0 || join_far(arena, other);
  }
  bool assign(Arena& arena, const VectorClock& other) {
    for (unsigned i = 0; i < kNear; ++i) near_[i] = other.near_[i];
    return (count_ == 0 && other.count_ == 0) || assign_far(arena, other);
  }

  // The same of clocks all of whose times stand here: they touch nothing else, so whatever others do to one of them at
  // the same time, only times can be wrong (core/order/lock_events.cc).
  [[nodiscard]] bool is_near() const { return (count_ | capacity_) == 0; }
  [[nodiscard]] bool includes_near(const VectorClock& other) const {
    const Times* mine = times();
    const Times* theirs = other.times();
    auto lacks = mine[0] < theirs[0];
    for (unsigned i = 1; i < kNear / kAtOnce; ++i) lacks |= mine[i] < theirs[i];
    return (lacks[0] | lacks[1] | lacks[2] | lacks[3]) == 0;
  }
  void join_near(const VectorClock& other) {
    Times* mine = times();
    const Times* theirs = other.times();
    for (unsigned i = 0; i < kNear / kAtOnce; ++i) mine[i] = mine[i] < theirs[i] ? theirs[i] : mine[i];
  }
  // assign() and raise() at once, of a slot that stands here.
  [[nodiscard]] static bool is_near(Slot slot) { return slot < kNear; }
  void assign_near(const VectorClock& other, Slot slot, ClockValue time) {
    for (unsigned i = 0; i < kNear; ++i) near_[i] = other.near_[i];
    if (near_[slot] < time) near_[slot] = time;
  }

  // How many chunks are held (shared or not), for the tests and benchmarks.
  [[nodiscard]] unsigned chunk_count() const;
  // Asserts the representation: counts are positive, nothing beyond count_.
  [[nodiscard]] bool check_invariants() const;

 private:
  static constexpr unsigned kNear = 8;  // slots whose times stand here
  // Some of them at once: the compiler makes less of loops over them.
  static constexpr unsigned kAtOnce = 4;
  using Times [[gnu::vector_size(kAtOnce * sizeof(ClockValue)), gnu::aligned(alignof(ClockValue)), gnu::may_alias]] =
      ClockValue;
  [[nodiscard]] Times* times() { return reinterpret_cast<Times*>(near_); }
  [[nodiscard]] const Times* times() const { return reinterpret_cast<const Times*>(near_); }
  static constexpr unsigned kTimes = 16;  // in a chunk; those of the first that are near are not used
  struct Chunk {
    std::atomic<uint32_t> refs;  // > 1: shared, and so immutable
    uint32_t unused[3];
    ClockValue times[kTimes];
  };
  static_assert(sizeof(Chunk) == 80);
  static constexpr unsigned kInline = 2;

  [[nodiscard]] Chunk** chunks() { return capacity_ == 0 ? inline_ : spilled_; }
  [[nodiscard]] Chunk* const* chunks() const { return capacity_ == 0 ? inline_ : spilled_; }
  bool reserve(Arena& arena, unsigned count);
  static Chunk* share(Chunk* chunk);
  static void drop(Arena& arena, Chunk* chunk);
  static Chunk* own(Arena& arena, Chunk*& chunk);
  static constexpr unsigned kCopied = 2;
  bool copy_times(unsigned index, const Chunk* from);
  [[nodiscard]] bool includes_far(const VectorClock& other) const;
  void clear_far(Arena& arena);
  bool raise_far(Arena& arena, Slot slot, ClockValue time);
  bool join_far(Arena& arena, const VectorClock& other);
  bool assign_far(Arena& arena, const VectorClock& other);

  ClockValue near_[kNear] = {};
  union {
    Chunk* inline_[kInline] = {};
    Chunk** spilled_;
  };
  uint16_t count_ = 0;     // chunks in use; those beyond are not there
  uint16_t capacity_ = 0;  // of spilled_; 0: the chunks are in inline_
};

// The two relations of docs/design/order.md, kept side by side: what is ordered before in full is
// ordered before in strong or through a lock.
struct VectorClocks {
  VectorClock full;
  VectorClock strong;

  [[nodiscard]] bool is_near() const { return full.is_near() && strong.is_near(); }

  void clear(Arena& arena) {
    full.clear(arena);
    strong.clear(arena);
  }
  [[nodiscard]] bool includes(const VectorClocks& other) const {
    return full.includes(other.full) && strong.includes(other.strong);
  }
  bool join(Arena& arena, const VectorClocks& other) {
    const bool a = full.join(arena, other.full);
    return strong.join(arena, other.strong) && a;
  }
  bool assign(Arena& arena, const VectorClocks& other) {
    const bool a = full.assign(arena, other.full);
    return strong.assign(arena, other.strong) && a;
  }
  bool raise(Arena& arena, Slot slot, ClockValue time) {
    const bool a = full.raise(arena, slot, time);
    return strong.raise(arena, slot, time) && a;
  }
};

}  // namespace norn
