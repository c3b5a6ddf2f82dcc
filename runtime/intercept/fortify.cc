// What the C library's headers call instead of memcpy and its like under _FORTIFY_SOURCE. The check is the host's: a
// program that fails it ends there, and one that passes it does what the plain function does.
#include <stdarg.h>
#include <stdio.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

NORN_INTERPOSE(void*, __memcpy_chk, (void* to, const void* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_read(from, size, site___memcpy_chk);
  observe_write(to, size, site___memcpy_chk);
  return real___memcpy_chk(to, from, size, room);
}

NORN_INTERPOSE(void*, __memmove_chk, (void* to, const void* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_read(from, size, site___memmove_chk);
  observe_write(to, size, site___memmove_chk);
  return real___memmove_chk(to, from, size, room);
}

NORN_INTERPOSE(void*, __memset_chk, (void* to, int value, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_write(to, size, site___memset_chk);
  return real___memset_chk(to, value, size, room);
}

NORN_INTERPOSE(char*, __strcpy_chk, (char* to, const char* from, size_t room)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t size = length_of(from) + 1;
    observe_read(from, size, site___strcpy_chk);
    observe_write(to, size, site___strcpy_chk);
  }
  return real___strcpy_chk(to, from, room);
}

NORN_INTERPOSE(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t old = length_of(to);
    const size_t size = length_of(from) + 1;
    observe_read(to, old + 1, site___strcat_chk);
    observe_read(from, size, site___strcat_chk);
    observe_write(to + old, size, site___strcat_chk);
  }
  return real___strcat_chk(to, from, room);
}

NORN_INTERPOSE(char*, __strncpy_chk, (char* to, const char* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  if (is_watching()) {
    const size_t length = length_of(from, size);
    observe_read(from, length < size ? length + 1 : size, site___strncpy_chk);
    observe_write(to, size, site___strncpy_chk);
  }
  return real___strncpy_chk(to, from, size, room);
}

NORN_INTERPOSE(int, __vsnprintf_chk,
               (char* to, size_t size, int flag, size_t room, const char* format, va_list values)) {
  if (!has_started()) return 0;
  const int length = real___vsnprintf_chk(to, size, flag, room, format, values);
  if (length >= 0 && size > 0) {
    const auto written = static_cast<size_t>(length) + 1;
    observe_write(to, written < size ? written : size, site___vsnprintf_chk);
  }
  return length;
}

NORN_INTERPOSE(int, __snprintf_chk, (char* to, size_t size, int flag, size_t room, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int length = norn_interposed___vsnprintf_chk(to, size, flag, room, format, values);
  va_end(values);
  return length;
}

NORN_INTERPOSE(int, __vsprintf_chk, (char* to, int flag, size_t room, const char* format, va_list values)) {
  if (!has_started()) return 0;
  const int length = real___vsprintf_chk(to, flag, room, format, values);
  if (length >= 0) observe_write(to, static_cast<size_t>(length) + 1, site___vsprintf_chk);
  return length;
}

NORN_INTERPOSE(int, __sprintf_chk, (char* to, int flag, size_t room, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int length = norn_interposed___vsprintf_chk(to, flag, room, format, values);
  va_end(values);
  return length;
}
