// The identity of a statement, over rebuilds: of the frames of library code, and of the first that is not.
// Freestanding.
#pragma once

#include "base/hash.h"

namespace norn::report {

// Adds a frame by its site's hash, the innermost first, until one is not library code.
[[nodiscard]] constexpr uint64_t identity_with(uint64_t identity, uint64_t site_hash) {
  identity = hash_next(identity, site_hash);
  return identity ^ identity >> 32;
}

}  // namespace norn::report
