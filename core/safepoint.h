// The door of the core: who is inside, and how everybody is kept outside for a collection.
//
// A thread is inside while it touches what collections move. A collection stops the others at the door: who is inside
// finishes first, who comes waits, and nobody inside waits for anyone outside. The program itself is not stopped. To
// enter costs a store and a load; the barrier between them is the collector's, where the embedding has one
// (core_barrier).
//
// Whoever finds that a collection is wanted, and is outside or may be, does it: by the one function that calls up from
// here, CollectFunction.
#pragma once

#include "core/order/thread_table.h"

namespace norn {

class Safepoint : public ThreadTable {
 public:
  // Does a collection, while everybody else is outside. `requested`: whether or not there is need.
  using CollectFunction = void (*)(Safepoint& self, bool requested);

  // A gate of the embedding's, which the fast paths of an access heed (is_door_open()).
  [[nodiscard]] std::atomic<bool>& gate() { return gate_; }

  // How many there were.
  [[nodiscard]] uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  // A collection at the next occasion, as if memory were short; for tests.
  void request_collection() {
    requested_.store(true, std::memory_order_relaxed);
    want_collection();
  }

 protected:
  void init_safepoint(CollectFunction collect) { collect_ = collect; }

  // Neither a collection nor the embedding wants threads to stay outside.
  [[nodiscard, gnu::always_inline]] bool is_door_open() const {
    using Flags [[gnu::may_alias]] = uint32_t;
    return __atomic_load_n(reinterpret_cast<const Flags*>(&collecting_), __ATOMIC_RELAXED) == 0;
  }
  // The thread is inside; false: a collection is wanted.
  [[nodiscard, gnu::always_inline]] bool step_inside(Thread& thread) const {
    // Pairs with the collector, which sets `collecting`, makes everyone pass a barrier (or we pass one ourselves) and
    // then looks at `inside`: one of us sees the other.
    thread.inside.store(true, std::memory_order_relaxed);
    if (!kOneAtATime && core_barrier == nullptr) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    return !collecting_.load(std::memory_order_relaxed) && !wanted_.load(std::memory_order_relaxed);
  }
  static void step_outside(Thread& thread) { thread.inside.store(false, std::memory_order_release); }

  // At the next occasion.
  void want_collection() { wanted_.store(true, std::memory_order_relaxed); }
  // The same for who has no Safepoint.
  [[nodiscard]] std::atomic<bool>& collection_wanted() { return wanted_; }

 private:
  friend class Inside;
  // Of a thread that step_inside() refused: it is inside afterwards.
  void wait_or_collect(Thread& thread);

  alignas(4) std::atomic<bool> collecting_{false};
  std::atomic<bool> wanted_{false};
  std::atomic<bool> gate_{false};
  [[maybe_unused]] bool none_ = false;  // is_door_open() reads four bytes
  std::atomic<bool> requested_{false};
  SpinMutex mutex_;
  std::atomic<uint64_t> collections_{0};
  CollectFunction collect_ = nullptr;
};

// While one exists, the calling thread is inside the core and no collection runs.
class Inside {
 public:
  Inside(Safepoint& safepoint, Thread& thread) : thread_(thread) {
    if (!safepoint.step_inside(thread)) [[unlikely]]
      safepoint.wait_or_collect(thread);
  }
  ~Inside() { Safepoint::step_outside(thread_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Thread& thread_;
};

}  // namespace norn
