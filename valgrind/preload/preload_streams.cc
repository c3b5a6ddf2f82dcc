// SPDX-License-Identifier: GPL-2.0-or-later
// Loaded into the program: streams. Their own lock and memory only the C library touches, which the tool does not look
// into; what counts is the memory that the program passes to them, as in the native runtime
// (runtime/intercept/streams/stdio.cc).
#include <stdarg.h>
#include <stdio.h>

#include "runtime/intercept/streams/format.h"
#include "valgrind/preload/preload.h"

#define CALLER __builtin_return_address(0)

namespace {

size_t length_of(const char* text, size_t most = ~size_t{0}) {
  size_t size = 0;
  while (size < most && text[size] != '\0') ++size;
  return size;
}

void reads_text(const char* text, const void* caller, size_t most = ~size_t{0}) {
  const size_t length = length_of(text, most);
  TELL(kNornReads, text, length < most ? length + 1 : length, caller);
}

void reads_format(const char* format, va_list values, const void* caller) {
  reads_text(format, caller);
  norn::rt::for_texts_of_format(format, values, [=](const char* text, size_t most) { reads_text(text, caller, most); });
}

// So many bytes and the end, but not more than there is room for.
void writes_text(const char* to, int length, size_t room, const void* caller) {
  if (length < 0 || room == 0) return;
  const size_t size = static_cast<size_t>(length) + 1;
  TELL(kNornWrites, to, size < room ? size : room, caller);
}

constexpr size_t kAnyRoom = ~size_t{0};

}  // namespace

// --- blocks and lines --------------------------------------------------------------------------------------------

WRAP(int, puts, (const char* text), (text)) {
  int result;
  reads_text(text, CALLER);
  CALL1(result, text);
  return result;
}

#define WRAP_FPUTS(name)                                          \
  WRAP(int, name, (const char* text, FILE* file), (text, file)) { \
    int result;                                                   \
    reads_text(text, CALLER);                                     \
    CALL2(result, text, file);                                    \
    return result;                                                \
  }
WRAP_FPUTS(fputs)
WRAP_FPUTS(fputs_unlocked)

#define WRAP_FWRITE(name)                                                                                    \
  WRAP(size_t, name, (const void* from, size_t size, size_t count, FILE* file), (from, size, count, file)) { \
    size_t result;                                                                                           \
    TELL(kNornReads, from, size* count, CALLER);                                                             \
    CALL4(result, from, size, count, file);                                                                  \
    return result;                                                                                           \
  }
WRAP_FWRITE(fwrite)
WRAP_FWRITE(fwrite_unlocked)

#define WRAP_FREAD(name)                                                                           \
  WRAP(size_t, name, (void* to, size_t size, size_t count, FILE* file), (to, size, count, file)) { \
    size_t result;                                                                                 \
    CALL4(result, to, size, count, file);                                                          \
    TELL(kNornWrites, to, size* result, CALLER);                                                   \
    return result;                                                                                 \
  }
WRAP_FREAD(fread)
WRAP_FREAD(fread_unlocked)

WRAP(char*, fgets, (char* to, int size, FILE* file), (to, size, file)) {
  char* result;
  CALL3(result, to, size, file);
  if (result != nullptr) TELL(kNornWrites, to, length_of(to) + 1, CALLER);
  return result;
}

WRAP(ssize_t, getdelim, (char** line, size_t* capacity, int end, FILE* file), (line, capacity, end, file)) {
  ssize_t result;
  CALL4(result, line, capacity, end, file);
  if (result > 0) TELL(kNornWrites, *line, result + 1, CALLER);
  return result;
}

WRAP(ssize_t, getline, (char** line, size_t* capacity, FILE* file), (line, capacity, file)) {
  ssize_t result;
  CALL3(result, line, capacity, file);
  if (result > 0) TELL(kNornWrites, *line, result + 1, CALLER);
  return result;
}

// --- formatted output: with a list of values ---------------------------------------------------------------------

WRAP(int, vfprintf, (FILE * file, const char* format, va_list values), (file, format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL3(result, file, format, values);
  return result;
}
WRAP(int, __vfprintf_chk, (FILE * file, int flag, const char* format, va_list values), (file, flag, format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL4(result, file, flag, format, values);
  return result;
}
WRAP(int, vprintf, (const char* format, va_list values), (format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL2(result, format, values);
  return result;
}
WRAP(int, vdprintf, (int fd, const char* format, va_list values), (fd, format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL3(result, fd, format, values);
  return result;
}
WRAP(int, vsnprintf, (char* to, size_t room, const char* format, va_list values), (to, room, format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL4(result, to, room, format, values);
  writes_text(to, result, room, CALLER);
  return result;
}
WRAP(int, vsprintf, (char* to, const char* format, va_list values), (to, format, values)) {
  int result;
  reads_format(format, values, CALLER);
  CALL3(result, to, format, values);
  writes_text(to, result, kAnyRoom, CALLER);
  return result;
}

// --- formatted output: with values. Each is the one with a list, as in the C library itself.
// --------------------------

extern "C" {
int __vprintf_chk(int flag, const char* format, va_list values);
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list values);
int __vdprintf_chk(int fd, int flag, const char* format, va_list values);
int __vsnprintf_chk(char* to, size_t room, int flag, size_t object, const char* format, va_list values);
int __vsprintf_chk(char* to, int flag, size_t object, const char* format, va_list values);
}

#define REPLACE_AS(symbol, parameters, last, call, after)                \
  extern "C" int VG_REPLACE_FUNCTION_ZZ(libcZdsoZa, symbol) parameters;  \
  extern "C" int VG_REPLACE_FUNCTION_ZZ(libcZdsoZa, symbol) parameters { \
    va_list values;                                                      \
    va_start(values, last);                                              \
    reads_format(format, values, CALLER);                                \
    const int result = call;                                             \
    va_end(values);                                                      \
    after;                                                               \
    return result;                                                       \
  }
// `call`: the function with a list; `after`: what is emitted when it is done.
#define REPLACE(name, parameters, call, after)      \
  REPLACE_AS(name, parameters, format, call, after) \
  REPLACE_AS(name##ZAZa, parameters, format, call, after)

REPLACE(printf, (const char* format, ...), vprintf(format, values), )
REPLACE(__printf_chk, (int flag, const char* format, ...), __vprintf_chk(flag, format, values), )
REPLACE(fprintf, (FILE * file, const char* format, ...), vfprintf(file, format, values), )
REPLACE(__fprintf_chk, (FILE * file, int flag, const char* format, ...), __vfprintf_chk(file, flag, format, values), )
REPLACE(dprintf, (int fd, const char* format, ...), vdprintf(fd, format, values), )
REPLACE(__dprintf_chk, (int fd, int flag, const char* format, ...), __vdprintf_chk(fd, flag, format, values), )
REPLACE(snprintf, (char* to, size_t room, const char* format, ...), vsnprintf(to, room, format, values),
        writes_text(to, result, room, CALLER))
REPLACE(__snprintf_chk, (char* to, size_t room, int flag, size_t object, const char* format, ...),
        __vsnprintf_chk(to, room, flag, object, format, values), writes_text(to, result, room, CALLER))
REPLACE(sprintf, (char* to, const char* format, ...), vsprintf(to, format, values),
        writes_text(to, result, kAnyRoom, CALLER))
REPLACE(__sprintf_chk, (char* to, int flag, size_t object, const char* format, ...),
        __vsprintf_chk(to, flag, object, format, values), writes_text(to, result, kAnyRoom, CALLER))
