// What compilers call by themselves, for the runtime and the core alone: nothing here is interposed or observed. The
// archive's build renames the four to __norn_plain_*, in their calls and here.
#include <stddef.h>

extern "C" {

void* memcpy(void* to, const void* from, size_t size) {
  void* at = to;
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  if (target <= source || target >= source + size) return memcpy(to, from, size);
  for (size_t i = size; i > 0; --i) const_cast<volatile char*>(target)[i - 1] = source[i - 1];
  return to;
}

void* memset(void* to, int value, size_t size) {
  void* at = to;
  asm volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
  return to;
}

int memcmp(const void* a, const void* b, size_t size) {
  const auto* x = static_cast<const volatile unsigned char*>(a);
  const auto* y = static_cast<const volatile unsigned char*>(b);
  for (size_t i = 0; i < size; ++i) {
    const int difference = x[i] - y[i];
    if (difference != 0) return difference;
  }
  return 0;
}

}  // extern "C"
