// What the C library's headers call instead of memcpy and its like under _FORTIFY_SOURCE. The check is the host's: a
// program that fails it ends there, and one that passes it does what the plain function does, under its name.
#include <stdarg.h>
#include <stdio.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/streams/stdio.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

#define NORN_PLAIN(name) constexpr norn_site site_##name = library_site(#name)
NORN_PLAIN(memcpy);
NORN_PLAIN(mempcpy);
NORN_PLAIN(memmove);
NORN_PLAIN(memset);
NORN_PLAIN(strcpy);
NORN_PLAIN(stpcpy);
NORN_PLAIN(strcat);
NORN_PLAIN(strncat);
NORN_PLAIN(strncpy);
NORN_PLAIN(stpncpy);
NORN_PLAIN(snprintf);
NORN_PLAIN(vsnprintf);
NORN_PLAIN(sprintf);
NORN_PLAIN(vsprintf);
NORN_PLAIN(getcwd);
NORN_PLAIN(gethostname);
NORN_PLAIN(readlink);
NORN_PLAIN(realpath);

void copied_text(char* to, const char* from, const norn_site& site) {
  if (!is_watching()) return;
  const size_t size = length_of(from) + 1;
  observe_read(from, size, site);
  observe_write(to, size, site);
}

void copied_part(char* to, const char* from, size_t size, const norn_site& site) {
  if (!is_watching()) return;
  const size_t length = length_of(from, size);
  observe_read(from, length < size ? length + 1 : size, site);
  observe_write(to, size, site);
}

void appended(char* to, const char* from, size_t most, const norn_site& site) {
  if (!is_watching()) return;
  const size_t old = length_of(to);
  const size_t added = length_of(from, most);
  observe_read(to, old + 1, site);
  observe_read(from, added < most ? added + 1 : most, site);
  observe_write(to + old, added + 1, site);
}

}  // namespace

NORN_INTERPOSE(void*, __memcpy_chk, (void* to, const void* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_read(from, size, site_memcpy);
  observe_write(to, size, site_memcpy);
  return real___memcpy_chk(to, from, size, room);
}

NORN_INTERPOSE(void*, __memmove_chk, (void* to, const void* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_read(from, size, site_memmove);
  observe_write(to, size, site_memmove);
  return real___memmove_chk(to, from, size, room);
}

NORN_INTERPOSE(void*, __memset_chk, (void* to, int value, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_write(to, size, site_memset);
  return real___memset_chk(to, value, size, room);
}

NORN_INTERPOSE(void*, __mempcpy_chk, (void* to, const void* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  observe_read(from, size, site_mempcpy);
  observe_write(to, size, site_mempcpy);
  return real___mempcpy_chk(to, from, size, room);
}

NORN_INTERPOSE(char*, __strcpy_chk, (char* to, const char* from, size_t room)) {
  if (!has_started()) return to;
  copied_text(to, from, site_strcpy);
  return real___strcpy_chk(to, from, room);
}

NORN_INTERPOSE(char*, __stpcpy_chk, (char* to, const char* from, size_t room)) {
  if (!has_started()) return to;
  copied_text(to, from, site_stpcpy);
  return real___stpcpy_chk(to, from, room);
}

NORN_INTERPOSE(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  if (!has_started()) return to;
  appended(to, from, kAnySize, site_strcat);
  return real___strcat_chk(to, from, room);
}

NORN_INTERPOSE(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room)) {
  if (!has_started()) return to;
  appended(to, from, most, site_strncat);
  return real___strncat_chk(to, from, most, room);
}

NORN_INTERPOSE(char*, __strncpy_chk, (char* to, const char* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  copied_part(to, from, size, site_strncpy);
  return real___strncpy_chk(to, from, size, room);
}

NORN_INTERPOSE(char*, __stpncpy_chk, (char* to, const char* from, size_t size, size_t room)) {
  if (!has_started()) return to;
  copied_part(to, from, size, site_stpncpy);
  return real___stpncpy_chk(to, from, size, room);
}

NORN_INTERPOSE(int, __vsnprintf_chk,
               (char* to, size_t size, int flag, size_t room, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vsnprintf);
  return wrote_format(to, size, real___vsnprintf_chk(to, size, flag, room, format, values), site_vsnprintf);
}

NORN_INTERPOSE(int, __snprintf_chk, (char* to, size_t size, int flag, size_t room, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_snprintf);
  const int length = real___vsnprintf_chk(to, size, flag, room, format, values);
  va_end(values);
  return wrote_format(to, size, length, site_snprintf);
}

NORN_INTERPOSE(int, __vsprintf_chk, (char* to, int flag, size_t room, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vsprintf);
  return wrote_format(to, kAnySize, real___vsprintf_chk(to, flag, room, format, values), site_vsprintf);
}

NORN_INTERPOSE(int, __sprintf_chk, (char* to, int flag, size_t room, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_sprintf);
  const int length = real___vsprintf_chk(to, flag, room, format, values);
  va_end(values);
  return wrote_format(to, kAnySize, length, site_sprintf);
}

// --- results -----------------------------------------------------------------------------------------------------

namespace {

char* wrote_text(char* text, const norn_site& site) {
  if (text != nullptr && is_watching()) observe_write(text, length_of(text) + 1, site);
  return text;
}

}  // namespace

NORN_INTERPOSE(char*, __getcwd_chk, (char* to, size_t size, size_t room)) {
  if (!has_started()) return nullptr;
  return wrote_text(real___getcwd_chk(to, size, room), site_getcwd);
}

NORN_INTERPOSE(int, __gethostname_chk, (char* to, size_t size, size_t room)) {
  if (!has_started()) return -1;
  const int result = real___gethostname_chk(to, size, room);
  if (result == 0) wrote_text(to, site_gethostname);
  return result;
}

NORN_INTERPOSE(ssize_t, __readlink_chk, (const char* path, char* to, size_t size, size_t room)) {
  if (!has_started()) return -1;
  if (is_watching()) observe_read(path, length_of(path) + 1, site_readlink);
  const ssize_t length = real___readlink_chk(path, to, size, room);
  if (length > 0) observe_write(to, static_cast<size_t>(length), site_readlink);
  return length;
}

NORN_INTERPOSE(char*, __realpath_chk, (const char* path, char* to, size_t room)) {
  if (!has_started()) return nullptr;
  if (path != nullptr && is_watching()) observe_read(path, length_of(path) + 1, site_realpath);
  return wrote_text(real___realpath_chk(path, to, room), site_realpath);
}
