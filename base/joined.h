// The names of a table's rows as one text, made by the compiler: "hybrid|hb|msm-short|msm-long". Freestanding.
#pragma once

#include "base/text.h"

namespace norn {

inline constexpr auto kEveryRow = [](const auto& /*row*/) { return true; };

// `kRows` is an array whose elements have a `name`; those that `kWanted` takes are joined by '|'.
template <const auto& kRows, auto kWanted = kEveryRow>
class Joined {
  static constexpr size_t kSize = [] {
    size_t size = 0;
    for (const auto& row : kRows)
      if (kWanted(row)) size += Text(row.name).size + 1;
    return size;
  }();
  struct Bytes {
    char of[kSize] = {};
  };
  static constexpr Bytes kBytes = [] {
    Bytes bytes;
    size_t at = 0;
    for (const auto& row : kRows) {
      if (!kWanted(row)) continue;
      for (const char c : Text(row.name)) bytes.of[at++] = c;
      bytes.of[at++] = '|';
    }
    return bytes;
  }();

 public:
  static constexpr Text kText{kBytes.of, kSize - 1};
};

// Whether each row stands at the place that its `kind` has in the enumeration.
template <class Row, size_t N>
constexpr bool in_order(const Row (&rows)[N]) {
  for (size_t i = 0; i < N; ++i)
    if (static_cast<size_t>(rows[i].kind) != i) return false;
  return true;
}

}  // namespace norn
