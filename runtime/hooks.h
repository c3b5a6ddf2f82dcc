// How an access of the program becomes an event.
#pragma once

#include "runtime/atomicity.h"
#include "runtime/control.h"
#include "runtime/state.h"
#include "runtime/where.h"

namespace norn::rt {

// Under control an access is a place to stop at; the program's own check lets none pass (fast.cc). True: it is also to
// be told to the detector.
inline bool pass_control(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
                         bool increments) {
  control::access(kind, address, size, site);
  if (only_scheduled) return false;
  if (watches_atomicity) note_locked_access(kind, address, size, site, increments);
  return true;
}

// Of the calling thread, from outside, while accesses count. `site` null: the call on top of its stack.
inline void observe(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
                    bool increments = false) {
  if (is_controlled() && !pass_control(kind, address, size, site, increments)) [[unlikely]]
    return;
  const Inspection here{Inspection::Started()};
  if (!here) return;
  detector.access(here.thread(), kind, address_of(address), size, [&] { return place_again(*here, site); }, increments);
}

// Short ranges, if what they need is known and nobody else's; otherwise nothing is done, or some of it.
constexpr size_t kShortRange = 64;
bool read_quickly(const void* address, size_t size, const norn_site* site);
bool write_quickly(const void* address, size_t size, const norn_site* site);

// The same for functions that were interposed: nothing where nothing counts, or nobody looks.
inline void observe_read(const volatile void* address, size_t size, const norn_site& site) {
  if (!is_watching() || size == 0 || is_called_unseen()) return;
  if (size <= kShortRange && read_quickly(const_cast<const void*>(address), size, &site)) return;
  observe(AccessKind::kRead, address, size, &site);
}
inline void observe_write(const volatile void* address, size_t size, const norn_site& site) {
  if (!is_watching() || size == 0 || is_called_unseen()) return;
  if (size <= kShortRange && write_quickly(const_cast<const void*>(address), size, &site)) return;
  observe(AccessKind::kWrite, address, size, &site);
}

}  // namespace norn::rt
