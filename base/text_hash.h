// The hash of what has an identity, for ever. Identities are kept in files and known to people (race ids, replay
// tokens): what this gives must not change. Freestanding.
#pragma once

#include "base/text.h"

namespace norn {

// FNV-1a (Fowler, Noll, Vo), of bytes; `seed` is the hash of those before.
inline constexpr uint64_t kNoBytes = 0xcbf29ce484222325;
[[nodiscard]] constexpr uint64_t text_hash(Text text, uint64_t seed = kNoBytes) {
  for (const char c : text) seed = (seed ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return seed;
}

}  // namespace norn
