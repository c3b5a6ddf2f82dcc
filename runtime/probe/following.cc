#include "runtime/probe/following.h"

namespace norn::probe {

void follow_release(uintptr_t object, Passes passes) {
  validation.attend();
  validation.release(object, passes);
}

void follow_acquire(uintptr_t object, bool writes) {
  validation.attend();
  validation.acquire(object, writes);
}

}  // namespace norn::probe
