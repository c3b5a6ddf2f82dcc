// Memory and string functions: the host's own do the work; what they read and wrote is an access.
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "norn/abi.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/mode.h"

// Until the host's functions are known (and in the middle of finding them) these do.
extern "C" {
void* norn_plain_memcpy(void* to, const void* from, size_t size) asm("memcpy");
void* norn_plain_memmove(void* to, const void* from, size_t size) asm("memmove");
void* norn_plain_memset(void* to, int value, size_t size) asm("memset");
int norn_plain_memcmp(const void* a, const void* b, size_t size) asm("memcmp");
}

using namespace norn;
using namespace norn::rt;

namespace norn::rt {

size_t length_of(const char* text) {
  size_t length = 0;
  while (*const_cast<const volatile char*>(text + length) != '\0') ++length;
  return length;
}

size_t length_of(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && *const_cast<const volatile char*>(text + length) != '\0') ++length;
  return length;
}

}  // namespace norn::rt

namespace {

size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t wide_length(const wchar_t* text) {
  size_t length = 0;
  while (*const_cast<const volatile wchar_t*>(text + length) != 0) ++length;
  return length;
}

// How many bytes a comparison looked at: up to the first difference, or the end.
size_t compared(const char* a, const char* b, size_t most, bool fold_case = false) {
  const auto folded = [=](char c) { return fold_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  size_t i = 0;
  while (i < most && folded(a[i]) == folded(b[i]) && a[i] != '\0') ++i;
  return least(i + 1, most);
}

void read_text(const char* text, const norn_site& site) {
  if (is_watching()) observe_read(text, length_of(text) + 1, site);
}

}  // namespace

// --- what compilers call -----------------------------------------------------------------------------------------

NORN_INTERPOSE_BUILTIN(void*, memcpy, (void* to, const void* from, size_t size)) {
  if (real_memcpy == nullptr) return norn_plain_memcpy(to, from, size);
  if (called_by_openmp()) {
    renewed(to, size);
    return real_memcpy(to, from, size);
  }
  observe_read(from, size, site_memcpy);
  observe_write(to, size, site_memcpy);
  return real_memcpy(to, from, size);
}

NORN_INTERPOSE_BUILTIN(void*, memmove, (void* to, const void* from, size_t size)) {
  if (real_memmove == nullptr) return norn_plain_memmove(to, from, size);
  observe_read(from, size, site_memmove);
  observe_write(to, size, site_memmove);
  return real_memmove(to, from, size);
}

NORN_INTERPOSE_BUILTIN(void*, memset, (void* to, int value, size_t size)) {
  if (real_memset == nullptr) return norn_plain_memset(to, value, size);
  if (called_by_openmp()) {
    renewed(to, size);
    return real_memset(to, value, size);
  }
  observe_write(to, size, site_memset);
  return real_memset(to, value, size);
}

NORN_INTERPOSE_BUILTIN(int, memcmp, (const void* a, const void* b, size_t size)) {
  if (real_memcmp == nullptr) return norn_plain_memcmp(a, b, size);
  const int result = real_memcmp(a, b, size);
  if (is_watching()) {
    size_t looked = size;
    if (result != 0) {
      looked = 0;
      while (looked < size && static_cast<const char*>(a)[looked] == static_cast<const char*>(b)[looked]) ++looked;
      looked = least(looked + 1, size);
    }
    observe_read(a, looked, site_memcmp);
    observe_read(b, looked, site_memcmp);
  }
  return result;
}

// The compiler's intrinsics. A null site: that side need not be checked.
NORN_EXPORT void* __norn_memcpy(void* to, const void* from, size_t size, const norn_site* to_site,
                                const norn_site* from_site) {
  if (is_watching() && size != 0) {
    if (from_site != nullptr) observe_range<AccessKind::kRead>(from, size, from_site);
    if (to_site != nullptr) observe_range<AccessKind::kWrite>(to, size, to_site);
  }
  return real_memcpy != nullptr ? real_memcpy(to, from, size) : norn_plain_memcpy(to, from, size);
}

NORN_EXPORT void* __norn_memmove(void* to, const void* from, size_t size, const norn_site* to_site,
                                 const norn_site* from_site) {
  if (is_watching() && size != 0) {
    if (from_site != nullptr) observe_range<AccessKind::kRead>(from, size, from_site);
    if (to_site != nullptr) observe_range<AccessKind::kWrite>(to, size, to_site);
  }
  return real_memmove != nullptr ? real_memmove(to, from, size) : norn_plain_memmove(to, from, size);
}

NORN_EXPORT void* __norn_memset(void* to, int value, size_t size, const norn_site* site) {
  if (is_watching() && size != 0 && site != nullptr) observe_range<AccessKind::kWrite>(to, size, site);
  return real_memset != nullptr ? real_memset(to, value, size) : norn_plain_memset(to, value, size);
}

// --- memory ------------------------------------------------------------------------------------------------------

NORN_INTERPOSE(void*, mempcpy, (void* to, const void* from, size_t size)) {
  return static_cast<char*>(norn_interposed_memcpy(to, from, size)) + size;
}

NORN_INTERPOSE(void, bcopy, (const void* from, void* to, size_t size)) { norn_interposed_memmove(to, from, size); }

NORN_INTERPOSE(void, bzero, (void* to, size_t size)) { norn_interposed_memset(to, 0, size); }

NORN_INTERPOSE(void, explicit_bzero, (void* to, size_t size)) { norn_interposed_memset(to, 0, size); }

NORN_INTERPOSE(int, bcmp, (const void* a, const void* b, size_t size)) { return norn_interposed_memcmp(a, b, size); }

NORN_INTERPOSE(void*, memchr, (const void* in, int value, size_t size)) {
  if (real_memchr == nullptr) {
    const auto* bytes = static_cast<const volatile unsigned char*>(in);
    for (size_t i = 0; i < size; ++i) {
      if (bytes[i] == static_cast<unsigned char>(value)) return const_cast<unsigned char*>(bytes + i);
    }
    return nullptr;
  }
  void* found = real_memchr(in, value, size);
  const size_t looked =
      found == nullptr ? size : static_cast<size_t>(static_cast<char*>(found) - static_cast<const char*>(in)) + 1;
  observe_read(in, looked, site_memchr);
  return found;
}

NORN_INTERPOSE(void*, memrchr, (const void* in, int value, size_t size)) {
  if (!has_started()) return nullptr;
  observe_read(in, size, site_memrchr);
  return real_memrchr(in, value, size);
}

NORN_INTERPOSE(void*, memmem, (const void* in, size_t size, const void* what, size_t what_size)) {
  if (!has_started()) return nullptr;
  observe_read(in, size, site_memmem);
  observe_read(what, what_size, site_memmem);
  return real_memmem(in, size, what, what_size);
}

NORN_INTERPOSE(void*, memccpy, (void* to, const void* from, int stop, size_t size)) {
  if (!has_started()) return nullptr;
  void* end = real_memccpy(to, from, stop, size);
  const size_t moved = end == nullptr ? size : static_cast<size_t>(static_cast<char*>(end) - static_cast<char*>(to));
  observe_read(from, moved, site_memccpy);
  observe_write(to, moved, site_memccpy);
  return end;
}

// --- strings -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(size_t, strlen, (const char* text)) {
  if (real_strlen == nullptr) return length_of(text);
  const size_t length = real_strlen(text);
  observe_read(text, length + 1, site_strlen);
  return length;
}

NORN_INTERPOSE(size_t, strnlen, (const char* text, size_t most)) {
  if (real_strnlen == nullptr) return length_of(text, most);
  const size_t length = real_strnlen(text, most);
  observe_read(text, least(length + 1, most), site_strnlen);
  return length;
}

NORN_INTERPOSE(int, strcmp, (const char* a, const char* b)) {
  if (real_strcmp == nullptr) {
    size_t i = 0;
    while (a[i] == b[i] && a[i] != '\0') ++i;
    return static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
  }
  if (is_watching()) {
    const size_t looked = compared(a, b, ~size_t{0});
    observe_read(a, looked, site_strcmp);
    observe_read(b, looked, site_strcmp);
  }
  return real_strcmp(a, b);
}

NORN_INTERPOSE(int, strncmp, (const char* a, const char* b, size_t most)) {
  if (real_strncmp == nullptr) {
    size_t i = 0;
    while (i < most && a[i] == b[i] && a[i] != '\0') ++i;
    return i == most ? 0 : static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
  }
  if (is_watching()) {
    const size_t looked = compared(a, b, most);
    observe_read(a, looked, site_strncmp);
    observe_read(b, looked, site_strncmp);
  }
  return real_strncmp(a, b, most);
}

NORN_INTERPOSE(int, strcasecmp, (const char* a, const char* b)) {
  if (!has_started()) return 0;
  if (is_watching()) {
    const size_t looked = compared(a, b, ~size_t{0}, true);
    observe_read(a, looked, site_strcasecmp);
    observe_read(b, looked, site_strcasecmp);
  }
  return real_strcasecmp(a, b);
}

NORN_INTERPOSE(int, strncasecmp, (const char* a, const char* b, size_t most)) {
  if (!has_started()) return 0;
  if (is_watching()) {
    const size_t looked = compared(a, b, most, true);
    observe_read(a, looked, site_strncasecmp);
    observe_read(b, looked, site_strncasecmp);
  }
  return real_strncasecmp(a, b, most);
}

NORN_INTERPOSE(int, strcoll, (const char* a, const char* b)) {
  if (!has_started()) return 0;
  read_text(a, site_strcoll);
  read_text(b, site_strcoll);
  return real_strcoll(a, b);
}

NORN_INTERPOSE(char*, strcpy, (char* to, const char* from)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t size = length_of(from) + 1;
    observe_read(from, size, site_strcpy);
    observe_write(to, size, site_strcpy);
  }
  return real_strcpy(to, from);
}

NORN_INTERPOSE(char*, stpcpy, (char* to, const char* from)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t size = length_of(from) + 1;
    observe_read(from, size, site_stpcpy);
    observe_write(to, size, site_stpcpy);
  }
  return real_stpcpy(to, from);
}

NORN_INTERPOSE(char*, strncpy, (char* to, const char* from, size_t size)) {
  if (!has_started()) return to;
  if (is_watching()) {
    observe_read(from, least(length_of(from, size) + 1, size), site_strncpy);
    observe_write(to, size, site_strncpy);
  }
  return real_strncpy(to, from, size);
}

NORN_INTERPOSE(char*, stpncpy, (char* to, const char* from, size_t size)) {
  if (!has_started()) return to;
  if (is_watching()) {
    observe_read(from, least(length_of(from, size) + 1, size), site_stpncpy);
    observe_write(to, size, site_stpncpy);
  }
  return real_stpncpy(to, from, size);
}

NORN_INTERPOSE(char*, strcat, (char* to, const char* from)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t old = length_of(to);
    const size_t added = length_of(from) + 1;
    observe_read(to, old + 1, site_strcat);
    observe_read(from, added, site_strcat);
    observe_write(to + old, added, site_strcat);
  }
  return real_strcat(to, from);
}

NORN_INTERPOSE(char*, strncat, (char* to, const char* from, size_t most)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t old = length_of(to);
    const size_t added = length_of(from, most);
    observe_read(to, old + 1, site_strncat);
    observe_read(from, least(added + 1, most), site_strncat);
    observe_write(to + old, added + 1, site_strncat);
  }
  return real_strncat(to, from, most);
}

NORN_INTERPOSE(char*, strchr, (const char* text, int c)) {
  if (real_strchr == nullptr) {
    for (;; ++text) {
      if (*text == static_cast<char>(c)) return const_cast<char*>(text);
      if (*text == '\0') return nullptr;
    }
  }
  char* found = real_strchr(text, c);
  if (is_watching()) {
    observe_read(text, found == nullptr ? length_of(text) + 1 : static_cast<size_t>(found - text) + 1, site_strchr);
  }
  return found;
}

NORN_INTERPOSE(char*, strchrnul, (const char* text, int c)) {
  if (!has_started()) return const_cast<char*>(text);
  char* found = real_strchrnul(text, c);
  observe_read(text, static_cast<size_t>(found - text) + 1, site_strchrnul);
  return found;
}

NORN_INTERPOSE(char*, strrchr, (const char* text, int c)) {
  if (!has_started()) return nullptr;
  read_text(text, site_strrchr);
  return real_strrchr(text, c);
}

NORN_INTERPOSE(char*, strstr, (const char* text, const char* what)) {
  if (!has_started()) return nullptr;
  read_text(text, site_strstr);
  read_text(what, site_strstr);
  return real_strstr(text, what);
}

NORN_INTERPOSE(char*, strcasestr, (const char* text, const char* what)) {
  if (!has_started()) return nullptr;
  read_text(text, site_strcasestr);
  read_text(what, site_strcasestr);
  return real_strcasestr(text, what);
}

NORN_INTERPOSE(size_t, strspn, (const char* text, const char* accepted)) {
  if (!has_started()) return 0;
  const size_t length = real_strspn(text, accepted);
  observe_read(text, length + 1, site_strspn);
  read_text(accepted, site_strspn);
  return length;
}

NORN_INTERPOSE(size_t, strcspn, (const char* text, const char* rejected)) {
  if (!has_started()) return 0;
  const size_t length = real_strcspn(text, rejected);
  observe_read(text, length + 1, site_strcspn);
  read_text(rejected, site_strcspn);
  return length;
}

NORN_INTERPOSE(char*, strpbrk, (const char* text, const char* accepted)) {
  if (!has_started()) return nullptr;
  read_text(text, site_strpbrk);
  read_text(accepted, site_strpbrk);
  return real_strpbrk(text, accepted);
}

NORN_INTERPOSE(char*, strtok_r, (char* text, const char* separators, char** rest)) {
  if (!has_started()) return nullptr;
  char* const begin = text != nullptr ? text : *rest;
  read_text(separators, site_strtok_r);
  char* token = real_strtok_r(text, separators, rest);
  if (begin != nullptr && *rest != nullptr) observe_read(begin, static_cast<size_t>(*rest - begin), site_strtok_r);
  if (token != nullptr) observe_write(token, length_of(token) + 1, site_strtok_r);
  return token;
}

// The host's own calls of malloc inside these are not to be seen: the block belongs to the caller of strdup. So the
// copy is made here, through the interposed allocator.
extern "C" void* norn_malloc_symbol(size_t size) asm("malloc");

NORN_INTERPOSE(char*, strdup, (const char* text)) {
  const size_t size = norn_interposed_strlen(text) + 1;
  auto* copy = static_cast<char*>(norn_malloc_symbol(size));
  if (copy == nullptr) return nullptr;
  observe_write(copy, size, site_strdup);
  norn_plain_memcpy(copy, text, size);
  return copy;
}

NORN_INTERPOSE(char*, strndup, (const char* text, size_t most)) {
  const size_t length = norn_interposed_strnlen(text, most);
  auto* copy = static_cast<char*>(norn_malloc_symbol(length + 1));
  if (copy == nullptr) return nullptr;
  observe_write(copy, length + 1, site_strndup);
  norn_plain_memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

// --- numbers -----------------------------------------------------------------------------------------------------

#define NORN_INTERPOSE_NUMBER(type, name)          \
  NORN_INTERPOSE(type, name, (const char* text)) { \
    if (!has_started()) return 0;                  \
    read_text(text, site_##name);                  \
    return real_##name(text);                      \
  }
NORN_INTERPOSE_NUMBER(int, atoi)
NORN_INTERPOSE_NUMBER(long, atol)
NORN_INTERPOSE_NUMBER(long long, atoll)
NORN_INTERPOSE_NUMBER(double, atof)

#define NORN_INTERPOSE_CONVERSION(type, name)                              \
  NORN_INTERPOSE(type, name, (const char* text, char** end, int base)) {   \
    if (!has_started()) return 0;                                          \
    char* stop = nullptr;                                                  \
    const type result = real_##name(text, &stop, base);                    \
    observe_read(text, static_cast<size_t>(stop - text) + 1, site_##name); \
    if (end != nullptr) {                                                  \
      observe_write(end, sizeof(*end), site_##name);                       \
      *end = stop;                                                         \
    }                                                                      \
    return result;                                                         \
  }
NORN_INTERPOSE_CONVERSION(long, strtol)
NORN_INTERPOSE_CONVERSION(long long, strtoll)
NORN_INTERPOSE_CONVERSION(unsigned long, strtoul)
NORN_INTERPOSE_CONVERSION(unsigned long long, strtoull)

#define NORN_INTERPOSE_REAL_CONVERSION(type, name)                         \
  NORN_INTERPOSE(type, name, (const char* text, char** end)) {             \
    if (!has_started()) return 0;                                          \
    char* stop = nullptr;                                                  \
    const type result = real_##name(text, &stop);                          \
    observe_read(text, static_cast<size_t>(stop - text) + 1, site_##name); \
    if (end != nullptr) {                                                  \
      observe_write(end, sizeof(*end), site_##name);                       \
      *end = stop;                                                         \
    }                                                                      \
    return result;                                                         \
  }
NORN_INTERPOSE_REAL_CONVERSION(float, strtof)
NORN_INTERPOSE_REAL_CONVERSION(double, strtod)

// --- wide characters ---------------------------------------------------------------------------------------------

NORN_INTERPOSE(size_t, wcslen, (const wchar_t* text)) {
  if (real_wcslen == nullptr) return wide_length(text);
  const size_t length = real_wcslen(text);
  observe_read(text, (length + 1) * sizeof(wchar_t), site_wcslen);
  return length;
}

NORN_INTERPOSE(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, size_t count)) {
  return static_cast<wchar_t*>(norn_interposed_memcpy(to, from, count * sizeof(wchar_t)));
}

NORN_INTERPOSE(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, size_t count)) {
  return static_cast<wchar_t*>(norn_interposed_memmove(to, from, count * sizeof(wchar_t)));
}

NORN_INTERPOSE(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t count)) {
  if (!has_started()) return to;
  observe_write(to, count * sizeof(wchar_t), site_wmemset);
  return real_wmemset(to, value, count);
}

NORN_INTERPOSE(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from)) {
  if (!has_started()) return to;
  const size_t size = (wide_length(from) + 1) * sizeof(wchar_t);
  observe_read(from, size, site_wcscpy);
  observe_write(to, size, site_wcscpy);
  return real_wcscpy(to, from);
}
