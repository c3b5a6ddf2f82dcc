// What the listeners of this room keep of a thread: made when first needed, and kept when the core uses the Thread
// again.
#pragma once

#include "core/order/thread.h"
#include "core/storage/arena.h"

namespace norn::hazards {

struct ThreadRecord {
  // LockOrder's.
  static constexpr unsigned kLately = 16;
  void* lately;

  // Atomicity's: how often the thread gave a lock up. Locks that share a counter look given up too often: pairs that
  // are none.
  static constexpr unsigned kCounters = 64;
  uint32_t given_up[kCounters];
  [[nodiscard]] uint32_t& times_given_up(Address lock) { return given_up[(lock >> 4 ^ lock >> 10) % kCounters]; }
};

// By the thread itself. Null: there is no memory for it.
inline ThreadRecord* record_of(Thread& thread, Arena& arena) {
  if (thread.listener_record == nullptr) thread.listener_record = arena.allocate_zeroed(sizeof(ThreadRecord));
  return static_cast<ThreadRecord*>(thread.listener_record);
}

}  // namespace norn::hazards
