#include "runtime/probe/following.h"

namespace norn::probe {

namespace {

constexpr int32_t kMoreCalls = 7;

}  // namespace

void follow_release(uintptr_t object, Passes passes) {
  charge(kMoreCalls);
  validation.attend();
  validation.release(object, passes);
}

void follow_acquire(uintptr_t object, bool writes) {
  charge(kMoreCalls);
  validation.attend();
  validation.acquire(object, writes);
}

}  // namespace norn::probe
