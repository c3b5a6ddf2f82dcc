// SPDX-License-Identifier: GPL-2.0-or-later
// The C library's functions on memory and text, replaced: its own ones read whole vectors, beyond the end of what they
// were asked for. The tool does not look into this file; this file emits what the function means, and whose call
// it was.
#define _GNU_SOURCE
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>

#include "valgrind/preload/preload.h"

#define CALLER __builtin_return_address(0)
#define READS(address, size) TELL(kNornReads, address, size, CALLER)
#define WRITES(address, size) TELL(kNornWrites, address, size, CALLER)

typedef uint64_t __attribute__((may_alias, aligned(1))) Eight;

static inline __attribute__((always_inline)) void forwards(char* to, const char* from, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) *(Eight*)(to + i) = *(const Eight*)(from + i);
  for (; i < size; i++) to[i] = from[i];
}

static inline __attribute__((always_inline)) void move(char* to, const char* from, size_t size) {
  if (to <= from || to >= from + size) {
    if (to + 8 <= from || to >= from + size) return forwards(to, from, size);
    for (size_t i = 0; i < size; i++) to[i] = from[i];
    return;
  }
  while (size > 0) {
    --size;
    to[size] = from[size];
  }
}

static inline __attribute__((always_inline)) void fill(char* to, int value, size_t size) {
  const uint64_t word = (unsigned char)value * UINT64_C(0x0101010101010101);
  size_t i = 0;
  for (; i + 8 <= size; i += 8) *(Eight*)(to + i) = word;
  for (; i < size; i++) to[i] = (char)value;
}

static inline __attribute__((always_inline)) size_t length(const char* text) {
  size_t n = 0;
  while (text[n] != '\0') n++;
  return n;
}

static inline __attribute__((always_inline)) size_t length_at_most(const char* text, size_t most) {
  size_t n = 0;
  while (n < most && text[n] != '\0') n++;
  return n;
}

#define AS(symbol, type, parameters, ...)                     \
  type VG_REPLACE_FUNCTION_ZZ(libcZdsoZa, symbol) parameters; \
  type VG_REPLACE_FUNCTION_ZZ(libcZdsoZa, symbol) parameters { __VA_ARGS__ }
// In the C library, under the plain and the versioned name.
#define REPLACE(type, name, parameters, ...) \
  AS(name, type, parameters, __VA_ARGS__)    \
  AS(name##ZAZa, type, parameters, __VA_ARGS__)

// --- memory ------------------------------------------------------------------------------------------------------

// The check of _FORTIFY_SOURCE: what fails it ends the program, as it does without norn.
void __chk_fail(void) __attribute__((noreturn));
#define FITS(needed) \
  if ((needed) > room) __chk_fail();

#define COPIES(result)  \
  READS(from, size);    \
  WRITES(to, size);     \
  move(to, from, size); \
  return result;
REPLACE(void*, memcpy, (void* to, const void* from, size_t size), COPIES(to))
REPLACE(void*, memmove, (void* to, const void* from, size_t size), COPIES(to))
REPLACE(void*, mempcpy, (void* to, const void* from, size_t size), COPIES((char*)to + size))
REPLACE(void*, __memcpy_chk, (void* to, const void* from, size_t size, size_t room), FITS(size) COPIES(to))
REPLACE(void*, __memmove_chk, (void* to, const void* from, size_t size, size_t room), FITS(size) COPIES(to))
REPLACE(void*, __mempcpy_chk, (void* to, const void* from, size_t size, size_t room),
        FITS(size) COPIES((char*)to + size))

#define FILLS            \
  WRITES(to, size);      \
  fill(to, value, size); \
  return to;
REPLACE(void*, memset, (void* to, int value, size_t size), FILLS)
REPLACE(void*, __memset_chk, (void* to, int value, size_t size, size_t room), FITS(size) FILLS)

#define COMPARES                               \
  const unsigned char* x = a;                  \
  const unsigned char* y = b;                  \
  size_t i = 0;                                \
  while (i < size && x[i] == y[i]) i++;        \
  const size_t seen = i < size ? i + 1 : size; \
  READS(a, seen);                              \
  READS(b, seen);                              \
  return i < size ? x[i] - y[i] : 0;
REPLACE(int, memcmp, (const void* a, const void* b, size_t size), COMPARES)
REPLACE(int, bcmp, (const void* a, const void* b, size_t size), COMPARES)
REPLACE(int, __memcmpeq, (const void* a, const void* b, size_t size), COMPARES)

REPLACE(void*, memchr, (const void* in, int value, size_t size), {
  const char* x = in;
  size_t i = 0;
  while (i < size && x[i] != (char)value) i++;
  READS(in, i < size ? i + 1 : size);
  return i < size ? (void*)(x + i) : NULL;
})
REPLACE(void*, memrchr, (const void* in, int value, size_t size), {
  const char* x = in;
  size_t i = size;
  while (i > 0 && x[i - 1] != (char)value) i--;
  READS(x + (i > 0 ? i - 1 : 0), size - (i > 0 ? i - 1 : 0));
  return i > 0 ? (void*)(x + i - 1) : NULL;
})
REPLACE(void*, rawmemchr, (const void* in, int value), {
  const char* x = in;
  size_t i = 0;
  while (x[i] != (char)value) i++;
  READS(in, i + 1);
  return (void*)(x + i);
})

// --- text --------------------------------------------------------------------------------------------------------

REPLACE(size_t, strlen, (const char* text), {
  const size_t size = length(text);
  READS(text, size + 1);
  return size;
})
REPLACE(size_t, strnlen, (const char* text, size_t most), {
  const size_t size = length_at_most(text, most);
  READS(text, size < most ? size + 1 : most);
  return size;
})

#define COMPARES_TEXT(most, change)                                                                     \
  size_t i = 0;                                                                                         \
  while (i < (most) && change((unsigned char)a[i]) == change((unsigned char)b[i]) && a[i] != '\0') i++; \
  const size_t seen = i < (most) ? i + 1 : (most);                                                      \
  READS(a, seen);                                                                                       \
  READS(b, seen);                                                                                       \
  return i < (most) ? change((unsigned char)a[i]) - change((unsigned char)b[i]) : 0;
REPLACE(int, strcmp, (const char* a, const char* b), COMPARES_TEXT(SIZE_MAX, ))
REPLACE(int, strncmp, (const char* a, const char* b, size_t most), COMPARES_TEXT(most, ))
REPLACE(int, strcasecmp, (const char* a, const char* b), COMPARES_TEXT(SIZE_MAX, tolower))
REPLACE(int, strncasecmp, (const char* a, const char* b, size_t most), COMPARES_TEXT(most, tolower))

#define COPIES_TEXT(result)             \
  const size_t size = length(from) + 1; \
  READS(from, size);                    \
  WRITES(to, size);                     \
  forwards(to, from, size);             \
  return result;
REPLACE(char*, strcpy, (char* to, const char* from), COPIES_TEXT(to))
REPLACE(char*, stpcpy, (char* to, const char* from), COPIES_TEXT(to + size - 1))
REPLACE(char*, __strcpy_chk, (char* to, const char* from, size_t room), FITS(length(from) + 1) COPIES_TEXT(to))
REPLACE(char*, __stpcpy_chk, (char* to, const char* from, size_t room),
        FITS(length(from) + 1) COPIES_TEXT(to + size - 1))

#define COPIES_AT_MOST(result)                    \
  const size_t size = length_at_most(from, most); \
  READS(from, size < most ? size + 1 : most);     \
  WRITES(to, most);                               \
  forwards(to, from, size);                       \
  fill(to + size, 0, most - size);                \
  return result;
REPLACE(char*, strncpy, (char* to, const char* from, size_t most), COPIES_AT_MOST(to))
REPLACE(char*, stpncpy, (char* to, const char* from, size_t most), COPIES_AT_MOST(to + size))
REPLACE(char*, __strncpy_chk, (char* to, const char* from, size_t most, size_t room), FITS(most) COPIES_AT_MOST(to))
REPLACE(char*, __stpncpy_chk, (char* to, const char* from, size_t most, size_t room),
        FITS(most) COPIES_AT_MOST(to + size))

#define APPENDS(most)                               \
  const size_t before = length(to);                 \
  const size_t size = length_at_most(from, (most)); \
  READS(to, before + 1);                            \
  READS(from, size < (most) ? size + 1 : (most));   \
  WRITES(to + before, size + 1);                    \
  forwards(to + before, from, size);                \
  to[before + size] = '\0';                         \
  return to;
REPLACE(char*, strcat, (char* to, const char* from), APPENDS(SIZE_MAX))
REPLACE(char*, strncat, (char* to, const char* from, size_t most), APPENDS(most))
REPLACE(char*, __strcat_chk, (char* to, const char* from, size_t room),
        FITS(length(to) + length(from) + 1) APPENDS(SIZE_MAX))
REPLACE(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room),
        FITS(length(to) + length_at_most(from, most) + 1) APPENDS(most))

#define FINDS(missing)                               \
  size_t i = 0;                                      \
  while (text[i] != (char)c && text[i] != '\0') i++; \
  READS(text, i + 1);                                \
  return text[i] == (char)c ? (char*)(text + i) : (missing);
REPLACE(char*, strchr, (const char* text, int c), FINDS(NULL))
REPLACE(char*, index, (const char* text, int c), FINDS(NULL))
REPLACE(char*, strchrnul, (const char* text, int c), FINDS((char*)(text + i)))

#define FINDS_LAST                             \
  const size_t size = length(text) + 1;        \
  size_t i = size;                             \
  while (i > 0 && text[i - 1] != (char)c) i--; \
  READS(text, size);                           \
  return i > 0 ? (char*)(text + i - 1) : NULL;
REPLACE(char*, strrchr, (const char* text, int c), FINDS_LAST)
REPLACE(char*, rindex, (const char* text, int c), FINDS_LAST)

REPLACE(char*, strstr, (const char* text, const char* what), {
  const size_t wanted = length(what);
  size_t i = 0;
  for (;; i++) {
    size_t k = 0;
    while (k < wanted && text[i + k] == what[k]) k++;
    if (k == wanted || text[i] == '\0') break;
    if (text[i + k] == '\0' && what[k] != '\0') {
      i += length(text + i);
      break;
    }
  }
  const int found = text[i] != '\0' || wanted == 0;
  READS(text, found ? i + wanted : i + 1);
  READS(what, wanted + 1);
  return found ? (char*)(text + i) : NULL;
})
