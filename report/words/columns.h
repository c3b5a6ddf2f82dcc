// How much of a line text takes on a terminal. Freestanding.
#pragma once

#include "base/text.h"

namespace norn::report {

// Columns that UTF-8 text takes; wide and combining characters count as one.
[[nodiscard]] constexpr size_t columns(Text text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  return count;
}

// The first `width` columns.
[[nodiscard]] constexpr Text clipped(Text text, size_t width) {
  size_t at = 0;
  for (size_t count = 0; at < text.size; ++at) {
    const bool starts = (static_cast<uint8_t>(text[at]) & 0xc0) != 0x80;
    if (starts && count++ == width) break;
  }
  return text.part(0, at);
}

}  // namespace norn::report
