// What interceptors of synchronization do: nothing, but where there is something to do (Validation). Release is called
// before the operation, acquire after it, whichever began meanwhile.
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

// Waits for a lock that may be hangs from now on.
void expect_hang();

}  // namespace norn::probe
