// FNV-1a, the hash of what has an identity, for ever. Identities are kept in files and known to people (race ids,
// replay tokens): what this gives must not change. Freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

inline constexpr uint64_t kNoBytes = 0xcbf29ce484222325;
[[nodiscard]] constexpr uint64_t bytes_hash(const char* bytes, size_t count, uint64_t seed = kNoBytes) {
  for (size_t i = 0; i < count; ++i) seed = (seed ^ static_cast<uint8_t>(bytes[i])) * 0x100000001b3;
  return seed;
}

}  // namespace norn
