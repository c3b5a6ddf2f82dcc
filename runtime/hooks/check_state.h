// How much the check in the program's code lets pass (docs/design/fastpath.md).
//
// A thread's check is in one of three states. While there is one thread, everything passes: the check looks at a cell
// that it knows. While accesses count, it looks at the shadow. Where there is no flat shadow, or where every access is
// wanted, it looks at a cell that nobody knows, and nothing passes.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

// Reserves addresses for the shadow; 0 if they cannot be had: then cells are found through the core's directories, and
// every access is a call.
uintptr_t reserve_shadow();

// From here on accesses count. Any thread.
void begin_watching();

// For the thread itself, when it begins and whenever its check did not let an access pass that it should.
void settle_check(Thread& thread);

// The granule of an address, by a check that looks at the shadow: it points to the position of its thread's own shadow
// words.
inline Granule& flat_granule(const void* granules, uint64_t mask, const void* address) {
  const auto first = reinterpret_cast<uintptr_t>(granules) & ~(sizeof(Granule) - 1);
  return *reinterpret_cast<Granule*>(first + (address_of(address) & mask) * (sizeof(Granule) / kGranuleBytes));
}

// The calling thread's accesses are those of `thread`; null: of nobody.
void use_check_of(Thread* thread);

}  // namespace norn::rt
