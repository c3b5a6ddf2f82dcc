// What interceptors of synchronization do: nothing, but where there is something to do (Validation). Release is called
// before the operation, acquire after it, whichever began meanwhile. Those that are armed (slots.h) begin with
// armed_call(), those that block and are never dormant have a Waiting around the call.
#pragma once

#include "runtime/probe/validation.h"

namespace norn::probe {

[[gnu::cold, gnu::noinline]] void follow_release(uintptr_t object, Passes passes);
[[gnu::cold, gnu::noinline]] void follow_acquire(uintptr_t object, bool writes);

[[nodiscard]] inline uintptr_t object_at(const volatile void* address) { return reinterpret_cast<uintptr_t>(address); }

inline void before_release(const volatile void* object, Passes passes = Passes::kToAll) {
  if (is_alert()) [[unlikely]]
    follow_release(object_at(object), passes);
}
inline void after_acquire(const volatile void* object, bool writes = true) {
  if (is_alert()) [[unlikely]]
    follow_acquire(object_at(object), writes);
}

inline void armed_call() {
  if (KnownThread* thread = current_thread; thread != nullptr) note_awake(*thread);
  // Threads may count one call for two: a window is not exact.
  const int32_t left = calls_left.load(std::memory_order_relaxed) - 1;
  calls_left.store(left, std::memory_order_relaxed);
  if (left < 0) [[unlikely]]
    validation.tire();
}

// What the caller does is worth so many armed calls more.
inline void charge(int32_t calls) {
  calls_left.store(calls_left.load(std::memory_order_relaxed) - calls, std::memory_order_relaxed);
}

class Waiting final {
 public:
  Waiting() : thread_(current_thread) {
    if (thread_ != nullptr) thread_->waits.store(true, std::memory_order_relaxed);
  }
  // Before it goes into anything else: hence an exchange.
  ~Waiting() {
    if (thread_ != nullptr) thread_->waits.exchange(false, std::memory_order_seq_cst);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  KnownThread* thread_;
};

// Waits for a lock may be hangs for some time from now on.
void expect_hang();

}  // namespace norn::probe
