// SPDX-License-Identifier: GPL-2.0-or-later
// A growing array on Valgrind's heap, for what the look-ahead works with and throws away.
#pragma once

#include "valgrind/tool/host.h"

namespace norn::vg {

template <class T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { VG_(free)(items_); }

  uint32_t add(const T& item) {
    if (size_ == capacity_) grow(capacity_ == 0 ? 16 : 2 * capacity_);
    items_[size_] = item;
    return size_++;
  }
  void assign(uint32_t size, const T& item) {
    if (size > capacity_) grow(size);
    size_ = size;
    for (uint32_t i = 0; i < size; ++i) items_[i] = item;
  }
  void clear() { size_ = 0; }
  void drop_last() { --size_; }

  T& operator[](uint32_t i) { return items_[i]; }
  const T& operator[](uint32_t i) const { return items_[i]; }
  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T& back() { return items_[size_ - 1]; }

  [[nodiscard]] bool contains(const T& item) const {
    for (const T& known : *this) {
      if (known == item) return true;
    }
    return false;
  }

 private:
  void grow(uint32_t capacity) {
    items_ = static_cast<T*>(VG_(realloc)("norn.lookahead", items_, capacity * sizeof(T)));
    capacity_ = capacity;
  }

  T* items_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace norn::vg
