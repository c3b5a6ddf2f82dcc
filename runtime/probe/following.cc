#include "runtime/probe/following.h"

namespace norn::probe {

namespace {

// What such a call counts for more than one that is only armed (validation.cc).
constexpr int32_t kMoreCalls = 7;

void charge() { calls_left.store(calls_left.load(std::memory_order_relaxed) - kMoreCalls, std::memory_order_relaxed); }

}  // namespace

void follow_release(uintptr_t object, Passes passes) {
  charge();
  validation.attend();
  validation.release(object, passes);
}

void follow_acquire(uintptr_t object, bool writes) {
  charge();
  validation.attend();
  validation.acquire(object, writes);
}

}  // namespace norn::probe
