// Locks that are taken in different orders: what may become a deadlock.
//
// Whenever a thread takes a lock while it holds others, an edge goes from each of these to it. A cycle of edges of
// different threads is an inversion (Havelund: Using Runtime Analysis to Guide Model Checking of Java Programs, SPIN
// 2000, with gate locks after Bensalem and Havelund, Scalable Dynamic Deadlock Analysis, PADTAD 2005), unless
// - two of the edges were made while the same lock was held: a gate, which lets only one of the threads in; or
// - they are ordered by more than locks: the threads were never there at the same time; or
// - a lock of the cycle is only read on both sides.
// Most locks nest one way round: so before cycles of nestings are looked for, it is seen whether the locks as such, by
// what was ever taken right under what, lead back to one that is held at all.
// An inversion is found once for each set of nestings; who reports it may know its statements already. `norn confirm`
// drives the threads into it.
#pragma once

#include <atomic>

#include "core/event.h"
#include "core/order/thread.h"
#include "core/storage/arena.h"

namespace norn {
class Detector;
}

namespace norn::hazards {

// A thread holds one lock and wants another.
struct LockEdge {
  ThreadId thread;
  Address holds;
  Address wants;
  StackId holds_at;
  StackId wants_at;
};

class LockOrder {
 public:
  // Each edge wants what the next one holds, the last what the first holds. On the thread that made the last edge.
  using Report = void (*)(const LockEdge* edges, unsigned count);

  constexpr LockOrder() = default;
  LockOrder(const LockOrder&) = delete;
  LockOrder& operator=(const LockOrder&) = delete;

  // Before anything else. The detector is the one whose threads the events are of.
  void init(Detector& detector, Arena& arena, Report report) {
    detector_ = &detector;
    arena_ = &arena;
    report_ = report;
  }
  // Off while there is one thread. Any thread.
  void watch(bool on) { watching_.store(on && report_ != nullptr, std::memory_order_relaxed); }

  [[gnu::always_inline]] void on_event(Thread& thread, const Event& event) {
    if (event.kind == EventKind::kLockAcquire && event.attempt != LockAttempt::kTry && thread.held_count > 1)
      acquired(thread, event.address);
  }

 private:
  static constexpr unsigned kMaxGates = 8;  // more locks held at once than that: the others are no gates
  static constexpr unsigned kMaxLength = 6;
  static constexpr unsigned kMaxInstances = 16;  // of one lock right under another, by thread, place, and what is above
  static constexpr unsigned kBuckets = 1u << 14;

  struct Lock;
  struct Nesting;
  struct Lately;
  class Search;

  // The thread has just taken the lock, and would have waited for it.
  void acquired(Thread& thread, Address lock);
  [[nodiscard]] Nesting*& bucket_of(LockId outer, LockId inner) {
    // Locks that were made one after the other, and are taken so, lie side by side.
    return nestings_[(inner + ((inner - outer) * 0x9e3779b1u >> 16)) & (kBuckets - 1)];
  }
  Lock* lock_of(LockId id);
  [[nodiscard]] bool leads_back(const Nesting& nesting);
  Nesting* find_or_add(const Thread& thread, unsigned place, Nesting* parent);
  Nesting* nesting_of(Thread& thread, unsigned place);
  Lately* lately_of(Thread& thread, const Nesting* parent, const Held& held);

  Detector* detector_ = nullptr;
  Arena* arena_ = nullptr;
  Report report_ = nullptr;
  std::atomic<bool> watching_{false};
  SpinMutex mutex_;
  Nesting* nestings_[kBuckets] = {};  // by the two innermost locks; under mutex_
  Lock* locks_[kBuckets] = {};        // under mutex_
  uint32_t searches_ = 0;             // how many there were, for Lock's marks; under mutex_
};

}  // namespace norn::hazards
