// How an access of the program becomes an event.
#pragma once

#include "runtime/control/control.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

namespace norn::rt {

// Under control an access is a point to stop at; the program's own check lets none pass (check_state.cc). True: it is
// also an event. `value`: of a write, what is written, if that is known; nothing of others.
template <class... Value>
inline bool pass_control(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
                         Value... value) {
  const uint64_t written[] = {value..., 0};
  control::access(kind, address, size, site, sizeof...(Value) == 1 ? written : nullptr);
  return !is_only_scheduled();
}

// Of the calling thread, from outside, while accesses count. `site` null: the call on top of its stack.
void observe(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
             bool increments = false);

// A write of eight bytes that the program's own check did not let pass, and of which nobody says what is written.
NORN_SLOW void write_anything(const void* granule, const norn_site* site);

// Whether the check in the program would let all of it pass: the thread has done the same in this epoch already.
[[nodiscard]] bool passes(AccessKind kind, const void* address, size_t size);

// Ranges that are not long, as far as they can be done in short: so many bytes, from the first on.
constexpr size_t kShortRange = 256;
size_t read_quickly(const void* address, size_t size, const norn_site* site);
size_t write_quickly(const void* address, size_t size, const norn_site* site);

// How many bytes from an address on, up to `size`, are mapped. What a program gives for a size may be a mistake of its
// own: it faults where the memory ends, and would otherwise be observed for as long as there is memory for shadow
// words.
constexpr size_t kLongRange = 1 << 20;  // shorter ones are not worth the question
size_t mapped_part(const volatile void* address, size_t size);

// As observe(), of any bytes.
template <AccessKind Kind>
inline void observe_range(const volatile void* address, size_t size, const norn_site* site) {
  size_t done = 0;
  if (size <= kShortRange) {
    constexpr auto kQuickly = Kind == AccessKind::kWrite ? write_quickly : read_quickly;
    done = kQuickly(const_cast<const void*>(address), size, site);
  } else if (size > kLongRange) {
    size = mapped_part(address, size);
  }
  if (done != size) observe(Kind, static_cast<const volatile char*>(address) + done, size - done, site);
}

// The same for functions that were interposed: nothing where nothing counts, or nobody looks.
inline void observe_read(const volatile void* address, size_t size, const norn_site& site) {
  if (!is_watching() || size == 0 || is_called_unsampled()) return;
  observe_range<AccessKind::kRead>(address, size, &site);
}
inline void observe_write(const volatile void* address, size_t size, const norn_site& site) {
  if (!is_watching() || size == 0 || is_called_unsampled()) return;
  observe_range<AccessKind::kWrite>(address, size, &site);
}

}  // namespace norn::rt
