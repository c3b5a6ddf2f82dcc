// A list as a view: items that someone else owns. Freestanding.
#pragma once

#include <stddef.h>

namespace norn {

template <class T>
struct List {
  const T* data = nullptr;
  size_t size = 0;

  constexpr List() = default;
  constexpr List(const T* items, size_t count) : data(items), size(count) {}
  template <size_t N>
  constexpr List(const T (&items)[N]) : data(items), size(N) {}  // NOLINT: an array is a list

  [[nodiscard]] constexpr bool empty() const { return size == 0; }
  constexpr const T& operator[](size_t i) const { return data[i]; }
  [[nodiscard]] constexpr const T* begin() const { return data; }
  [[nodiscard]] constexpr const T* end() const { return data + size; }
};

}  // namespace norn
