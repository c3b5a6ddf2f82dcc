// Copying and clearing without a C library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

#ifdef __clang_analyzer__  // which does not look into assembly
inline void fill_zero(void* memory, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(memory)[i] = 0;
}
inline void copy_words(uint32_t* to, const uint32_t* from, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}
#else
// String instructions: the compiler cannot turn them back into calls of memset and memcpy, as it does with loops.
inline void fill_zero(void* memory, size_t bytes) {
  asm volatile("rep stosb" : "+D"(memory), "+c"(bytes) : "a"(0) : "memory");
}

inline void copy_words(uint32_t* to, const uint32_t* from, size_t count) {
  asm volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

#endif

template <class T>
[[nodiscard]] inline bool same_words(const T* a, const T* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace norn
