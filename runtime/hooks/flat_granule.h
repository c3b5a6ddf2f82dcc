// Where the shadow of an address is, for a hook.
#pragma once

#include "core/shadow/shadow.h"
#include "runtime/process/state.h"

namespace norn::rt {

// The granule of an address, by a check that looks at the shadow: it points to the place of its thread's own shadow
// words.
inline Granule& flat_granule(const void* granules, uint64_t mask, const void* address) {
  const auto first = reinterpret_cast<uintptr_t>(granules) & ~(sizeof(Granule) - 1);
  return *reinterpret_cast<Granule*>(first + (address_of(address) & mask) * (sizeof(Granule) / kGranuleBytes));
}

}  // namespace norn::rt
