// base/bytes_hash.h of a text. Freestanding.
#pragma once

#include "base/bytes_hash.h"
#include "base/text.h"

namespace norn {

[[nodiscard]] constexpr uint64_t text_hash(Text text, uint64_t seed = kNoBytes) {
  return bytes_hash(text.data, text.size, seed);
}

}  // namespace norn
