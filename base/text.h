// Text as a view: no memory of its own, no library. Freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

// Bytes that someone else owns; usually UTF-8, never assumed to be valid UTF-8.
struct Text {
  const char* data = nullptr;
  size_t size = 0;

  constexpr Text() = default;
  constexpr Text(const char* bytes, size_t count) : data(bytes), size(count) {}
  constexpr Text(const char* c_string) : data(c_string) {  // NOLINT: a literal is a text
    while (c_string != nullptr && c_string[size] != '\0') ++size;
  }

  [[nodiscard]] constexpr bool empty() const { return size == 0; }
  constexpr char operator[](size_t i) const { return data[i]; }
  [[nodiscard]] constexpr const char* begin() const { return data; }
  [[nodiscard]] constexpr const char* end() const { return data + size; }
  // The part that starts at `from` and has at most `count` bytes.
  [[nodiscard]] constexpr Text part(size_t from, size_t count = ~size_t{0}) const {
    if (from > size) from = size;
    return {data + from, count < size - from ? count : size - from};
  }
  [[nodiscard]] constexpr bool starts_with(Text start) const { return part(0, start.size) == start; }
  friend constexpr bool operator==(Text a, Text b) {
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; ++i)
      if (a.data[i] != b.data[i]) return false;
    return true;
  }
};

}  // namespace norn
