// Copying and clearing without a C library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

// The empty assembly keeps the compiler from turning the loops back into calls of memset and memcpy.
inline void fill_zero(void* memory, size_t bytes) {
  auto* p = static_cast<char*>(memory);
  for (size_t i = 0; i < bytes; ++i) {
    p[i] = 0;
    asm volatile("" ::: "memory");
  }
}

template <class T>
inline void copy_words(T* to, const T* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = from[i];
    asm volatile("" ::: "memory");
  }
}

template <class T>
[[nodiscard]] inline bool same_words(const T* a, const T* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace norn
