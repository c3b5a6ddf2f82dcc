// Streams. A stream has its own lock and its own memory, which only the C library touches: what counts is the memory
// that is passed to it, and that what was written to its file happens before what is read from it.
#include "runtime/intercept/streams/stdio.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/control/control.h"
#include "runtime/control/written_files.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/streams/format.h"
#include "runtime/intercept/streams/memory_streams.h"
#include "runtime/intercept/text_length.h"
#include "runtime/intercept/threading/locks.h"
#include "runtime/process/mode.h"
#include "runtime/reporting/misuse.h"

using namespace norn;
using namespace norn::rt;

NORN_REAL(int, fileno_unlocked, (FILE * file))

namespace {

void giving_to(FILE* file, const norn_site& site) {
  check_safe_call(site);
  if (is_watching()) giving_to_file(real_fileno_unlocked(file), site);
}
// Under control: reading from the stream does not wait for its file.
void await_stream(FILE* file, const norn_site& site) {
  if (!is_controlled() || file->_IO_read_ptr < file->_IO_read_end) return;
  (void)control::await_input(real_fileno_unlocked(file), site);  // a signal only makes the library wait again
}
void took_from(FILE* file, const norn_site& site) {
  if (is_watching()) took_from_file(real_fileno_unlocked(file), site);
}

}  // namespace

namespace norn::rt {

void read_format(const char* format, va_list values, const norn_site& site) {
  if (!is_watching()) return;
  observe_read(format, length_of(format) + 1, site);
  for_texts_of_format(format, values, [&](const char* text, size_t most) {
    const size_t length = length_of(text, most);
    observe_read(text, length < most ? length + 1 : length, site);
  });
}

int wrote_format(char* to, size_t size, int length, const norn_site& site) {
  if (length < 0 || size == 0) return length;
  const auto written = static_cast<size_t>(length) + 1;
  observe_write(to, written < size ? written : size, site);
  return length;
}

}  // namespace norn::rt

// --- formatted output --------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, vfprintf, (FILE * file, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vfprintf);
  giving_to(file, site_vfprintf);
  return real_vfprintf(file, format, values);
}

NORN_INTERPOSE(int, vprintf, (const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vprintf);
  giving_to(stdout, site_vprintf);
  return real_vfprintf(stdout, format, values);
}

NORN_INTERPOSE(int, printf, (const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_printf);
  giving_to(stdout, site_printf);
  const int result = real_vfprintf(stdout, format, values);
  va_end(values);
  return result;
}

NORN_INTERPOSE(int, fprintf, (FILE * file, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_fprintf);
  giving_to(file, site_fprintf);
  const int result = real_vfprintf(file, format, values);
  va_end(values);
  return result;
}

NORN_INTERPOSE(int, vdprintf, (int fd, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vdprintf);
  giving_to_file(fd, site_vdprintf);
  return real_vdprintf(fd, format, values);
}

NORN_INTERPOSE(int, dprintf, (int fd, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_dprintf);
  giving_to_file(fd, site_dprintf);
  const int result = real_vdprintf(fd, format, values);
  va_end(values);
  return result;
}

NORN_INTERPOSE(int, vsnprintf, (char* to, size_t size, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vsnprintf);
  return wrote_format(to, size, real_vsnprintf(to, size, format, values), site_vsnprintf);
}

NORN_INTERPOSE(int, snprintf, (char* to, size_t size, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_snprintf);
  const int length = real_vsnprintf(to, size, format, values);
  va_end(values);
  return wrote_format(to, size, length, site_snprintf);
}

NORN_INTERPOSE(int, vsprintf, (char* to, const char* format, va_list values)) {
  if (!has_started()) return 0;
  read_format(format, values, site_vsprintf);
  return wrote_format(to, kAnySize, real_vsprintf(to, format, values), site_vsprintf);
}

NORN_INTERPOSE(int, sprintf, (char* to, const char* format, ...)) {
  if (!has_started()) return 0;
  va_list values;
  va_start(values, format);
  read_format(format, values, site_sprintf);
  const int length = real_vsprintf(to, format, values);
  va_end(values);
  return wrote_format(to, kAnySize, length, site_sprintf);
}

// --- formatted input ---------------------------------------------------------------------------------------------

namespace {

size_t size_of_number(char kind, int shorts, int longs, bool is_size) {
  const bool is_real = kind == 'a' || kind == 'A' || kind == 'e' || kind == 'E' || kind == 'f' || kind == 'F' ||
                       kind == 'g' || kind == 'G';
  if (is_real) return longs == 0 ? sizeof(float) : longs == 1 ? sizeof(double) : sizeof(long double);
  if (kind == 'p' || longs > 0 || is_size) return sizeof(long);
  return shorts == 0 ? sizeof(int) : shorts == 1 ? sizeof(short) : 1;
}

// What a format made the library write, of which `assigned` values came to be.
void wrote_by_format(const char* format, va_list values, int assigned, const norn_site& site) {
  if (!is_watching()) return;
  observe_read(format, length_of(format) + 1, site);
  va_list list;
  va_copy(list, values);
  for (const char* at = format; *at != '\0' && assigned > 0; ++at) {
    if (*at != '%') continue;
    ++at;
    if (*at == '%') continue;
    const bool skips = *at == '*';
    if (skips) ++at;
    size_t width = 0;
    while (*at >= '0' && *at <= '9') width = width * 10 + static_cast<size_t>(*at++ - '0');
    if (*at == '$') break;  // values by position
    int shorts = 0;
    int longs = 0;
    bool is_size = false;
    bool allocates = false;
    for (; *at == 'h' || *at == 'l' || *at == 'L' || *at == 'q' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'm';
         ++at) {
      shorts += *at == 'h' ? 1 : 0;
      longs += *at == 'l' ? 1 : *at == 'L' || *at == 'q' ? 2 : 0;
      is_size = is_size || *at == 'j' || *at == 'z' || *at == 't';
      allocates = allocates || *at == 'm';
    }
    const char kind = *at;
    if (kind == '\0') break;
    if (kind == '[') {  // up to the bracket that closes it; one that stands first does not
      ++at;
      if (*at == '^') ++at;
      if (*at == ']') ++at;
      while (*at != '\0' && *at != ']') ++at;
      if (*at == '\0') break;
    }
    if (skips) continue;
    auto* to = va_arg(list, char*);
    if (kind != 'n') --assigned;
    const bool is_text = kind == 's' || kind == '[' || kind == 'c';
    if (allocates) {
      observe_write(to, sizeof(char*), site);
    } else if (is_text && longs > 0) {
      observe_write(to, sizeof(wchar_t), site);
    } else if (kind == 'c') {
      observe_write(to, width == 0 ? 1 : width, site);
    } else if (is_text) {
      observe_write(to, length_of(to) + 1, site);
    } else {
      observe_write(to, size_of_number(kind, shorts, longs, is_size), site);
    }
  }
  va_end(list);
}

}  // namespace

namespace {

template <class Real>
int scan_text(Real real, const char* text, const char* format, va_list values, const norn_site& site) {
  if (is_watching()) observe_read(text, length_of(text) + 1, site);
  va_list again;
  va_copy(again, values);
  const int assigned = real(text, format, values);
  wrote_by_format(format, again, assigned, site);
  va_end(again);
  return assigned;
}

template <class Real>
int scan_stream(Real real, FILE* file, const char* format, va_list values, const norn_site& site) {
  await_stream(file, site);
  va_list again;
  va_copy(again, values);
  const int assigned = real(file, format, values);
  took_from(file, site);
  wrote_by_format(format, again, assigned, site);
  va_end(again);
  return assigned;
}

}  // namespace

// Standards differ in details of what is read; headers choose by the name.
#define NORN_SCANNING(interpose, prefix)                                                                         \
  interpose(int, prefix##vsscanf, (const char* text, const char* format, va_list values)) {                      \
    static constexpr norn_site site = library_site("vsscanf");                                                   \
    return has_started() ? scan_text(real_##prefix##vsscanf, text, format, values, site) : EOF;                  \
  }                                                                                                              \
  interpose(int, prefix##sscanf, (const char* text, const char* format, ...)) {                                  \
    static constexpr norn_site site = library_site("sscanf");                                                    \
    va_list values;                                                                                              \
    va_start(values, format);                                                                                    \
    const int assigned = has_started() ? scan_text(real_##prefix##vsscanf, text, format, values, site) : EOF;    \
    va_end(values);                                                                                              \
    return assigned;                                                                                             \
  }                                                                                                              \
  interpose(int, prefix##vfscanf, (FILE * file, const char* format, va_list values)) {                           \
    static constexpr norn_site site = library_site("vfscanf");                                                   \
    return has_started() ? scan_stream(real_##prefix##vfscanf, file, format, values, site) : EOF;                \
  }                                                                                                              \
  interpose(int, prefix##fscanf, (FILE * file, const char* format, ...)) {                                       \
    static constexpr norn_site site = library_site("fscanf");                                                    \
    va_list values;                                                                                              \
    va_start(values, format);                                                                                    \
    const int assigned = has_started() ? scan_stream(real_##prefix##vfscanf, file, format, values, site) : EOF;  \
    va_end(values);                                                                                              \
    return assigned;                                                                                             \
  }                                                                                                              \
  interpose(int, prefix##vscanf, (const char* format, va_list values)) {                                         \
    static constexpr norn_site site = library_site("vscanf");                                                    \
    return has_started() ? scan_stream(real_##prefix##vfscanf, stdin, format, values, site) : EOF;               \
  }                                                                                                              \
  interpose(int, prefix##scanf, (const char* format, ...)) {                                                     \
    static constexpr norn_site site = library_site("scanf");                                                     \
    va_list values;                                                                                              \
    va_start(values, format);                                                                                    \
    const int assigned = has_started() ? scan_stream(real_##prefix##vfscanf, stdin, format, values, site) : EOF; \
    va_end(values);                                                                                              \
    return assigned;                                                                                             \
  }

NORN_SCANNING(NORN_INTERPOSE, )
NORN_SCANNING(NORN_INTERPOSE, __isoc99_)
NORN_SCANNING(NORN_INTERPOSE_OPTIONAL, __isoc23_)

// --- blocks, lines and characters --------------------------------------------------------------------------------

NORN_INTERPOSE(size_t, fread, (void* to, size_t size, size_t count, FILE* file)) {
  if (!has_started()) return 0;
  await_stream(file, site_fread);
  const size_t got = real_fread(to, size, count, file);
  if (is_controlled()) control::fix_read(real_fileno_unlocked(file), to, got * size);
  took_from(file, site_fread);
  observe_write(to, got * size, site_fread);
  return got;
}

NORN_INTERPOSE(size_t, fread_unlocked, (void* to, size_t size, size_t count, FILE* file)) {
  if (!has_started()) return 0;
  const size_t got = real_fread_unlocked(to, size, count, file);
  took_from(file, site_fread_unlocked);
  observe_write(to, got * size, site_fread_unlocked);
  return got;
}

NORN_INTERPOSE(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file)) {
  if (!has_started()) return 0;
  observe_read(from, size * count, site_fwrite);
  giving_to(file, site_fwrite);
  return real_fwrite(from, size, count, file);
}

NORN_INTERPOSE(size_t, fwrite_unlocked, (const void* from, size_t size, size_t count, FILE* file)) {
  if (!has_started()) return 0;
  observe_read(from, size * count, site_fwrite_unlocked);
  giving_to(file, site_fwrite_unlocked);
  return real_fwrite_unlocked(from, size, count, file);
}

NORN_INTERPOSE(char*, fgets, (char* to, int size, FILE* file)) {
  if (!has_started()) return nullptr;
  await_stream(file, site_fgets);
  char* result = real_fgets(to, size, file);
  took_from(file, site_fgets);
  if (result != nullptr && is_watching()) observe_write(to, length_of(to) + 1, site_fgets);
  return result;
}

NORN_INTERPOSE(int, fputs, (const char* text, FILE* file)) {
  if (!has_started()) return 0;
  if (is_watching()) observe_read(text, length_of(text) + 1, site_fputs);
  giving_to(file, site_fputs);
  return real_fputs(text, file);
}

NORN_INTERPOSE(int, puts, (const char* text)) {
  if (!has_started()) return 0;
  if (is_watching()) observe_read(text, length_of(text) + 1, site_puts);
  giving_to(stdout, site_puts);
  return real_puts(text);
}

NORN_INTERPOSE(int, fputc, (int c, FILE* file)) {
  if (!has_started()) return 0;
  giving_to(file, site_fputc);
  return real_fputc(c, file);
}

NORN_INTERPOSE(int, putc, (int c, FILE* file)) {
  if (!has_started()) return 0;
  giving_to(file, site_putc);
  return real_putc(c, file);
}

NORN_INTERPOSE(int, putchar, (int c)) {
  if (!has_started()) return 0;
  giving_to(stdout, site_putchar);
  return real_putchar(c);
}

// Without the stream's lock, which the caller must have: what they change of the stream is its position. Optimised code
// does the same itself.
#define NORN_PUT_UNLOCKED(name)                                                    \
  NORN_INTERPOSE(int, name, (int c, FILE* file)) {                                 \
    if (!has_started()) return 0;                                                  \
    observe_write(&file->_IO_write_ptr, sizeof(file->_IO_write_ptr), site_##name); \
    giving_to(file, site_##name);                                                  \
    return real_##name(c, file);                                                   \
  }
#define NORN_GET_UNLOCKED(name)                                                  \
  NORN_INTERPOSE(int, name, (FILE * file)) {                                     \
    if (!has_started()) return EOF;                                              \
    observe_write(&file->_IO_read_ptr, sizeof(file->_IO_read_ptr), site_##name); \
    await_stream(file, site_##name);                                             \
    const int c = real_##name(file);                                             \
    took_from(file, site_##name);                                                \
    return c;                                                                    \
  }
NORN_PUT_UNLOCKED(putc_unlocked)
NORN_PUT_UNLOCKED(fputc_unlocked)
NORN_GET_UNLOCKED(getc_unlocked)
NORN_GET_UNLOCKED(fgetc_unlocked)

NORN_INTERPOSE(int, fgetc, (FILE * file)) {
  if (!has_started()) return EOF;
  await_stream(file, site_fgetc);
  const int c = real_fgetc(file);
  took_from(file, site_fgetc);
  return c;
}

NORN_INTERPOSE(int, getc, (FILE * file)) {
  if (!has_started()) return EOF;
  await_stream(file, site_getc);
  const int c = real_getc(file);
  took_from(file, site_getc);
  return c;
}

NORN_INTERPOSE(int, getchar, ()) {
  if (!has_started()) return EOF;
  await_stream(stdin, site_getchar);
  const int c = real_getchar();
  took_from(stdin, site_getchar);
  return c;
}

namespace {

// The line's memory is the caller's, allocated by the library: it is new, or it was the caller's before. Where it is
// and how large it is, the library looks up and may change.
template <class Take>
ssize_t take_line(char** line, size_t* capacity, FILE* file, const norn_site& site, Take take) {
  await_stream(file, site);
  observe_write(line, sizeof(*line), site);
  observe_write(capacity, sizeof(*capacity), site);
  const ssize_t length = take();
  took_from(file, site);
  if (length > 0) observe_write(*line, static_cast<size_t>(length) + 1, site);
  return length;
}

}  // namespace

NORN_INTERPOSE(ssize_t, getdelim, (char** line, size_t* capacity, int end, FILE* file)) {
  if (!has_started()) return -1;
  return take_line(line, capacity, file, site_getdelim, [&] { return real_getdelim(line, capacity, end, file); });
}

NORN_INTERPOSE(ssize_t, getline, (char** line, size_t* capacity, FILE* file)) {
  if (!has_started()) return -1;
  return take_line(line, capacity, file, site_getline, [&] { return real_getline(line, capacity, file); });
}

// What the headers make of getline in optimised code.
NORN_INTERPOSE(ssize_t, __getdelim, (char** line, size_t* capacity, int end, FILE* file)) {
  if (!has_started()) return -1;
  return take_line(line, capacity, file, site_getline, [&] { return real___getdelim(line, capacity, end, file); });
}

// --- the stream itself -------------------------------------------------------------------------------------------

NORN_INTERPOSE(int, fflush, (FILE * file)) {
  if (!has_started()) return 0;
  if (file == nullptr) return real_fflush(file);
  giving_to(file, site_fflush);
  const MemoryStreamUse use(file, site_fflush);
  return real_fflush(file);
}

void norn::rt::flush_streams() {
  if (real_fflush != nullptr) real_fflush(nullptr);
}

NORN_INTERPOSE(int, fclose, (FILE * file)) {
  if (!has_started()) return 0;
  giving_to(file, site_fclose);
  MemoryStreamUse(file, site_fclose).closes();
  const int fd = real_fileno_unlocked(file);
  if (is_controlled()) control::note_written(fd);
  if (inputs::is_concerned() && fd >= 0) {
    real_fflush(file);
    inputs::closed(fd);  // before another thread has the number
  }
  return real_fclose(file);
}

NORN_INTERPOSE(int, ftrylockfile, (FILE * file)) {
  if (!has_started()) return -1;
  const int result = real_ftrylockfile(file);
  if (result == 0) took(file, LockMode::kExclusive, site_ftrylockfile);
  return result;
}

NORN_INTERPOSE(void, flockfile, (FILE * file)) {
  if (!has_started()) return;
  if (is_controlled() && control::active()) {
    control::acquire(file, &site_flockfile, control::Waiting::kLock, control::kForever, EBUSY, EBUSY,
                     [=] { return real_ftrylockfile(file) == 0 ? 0 : EBUSY; });
  } else {
    real_flockfile(file);
  }
  took(file, LockMode::kExclusive, site_flockfile);
}

NORN_INTERPOSE(void, funlockfile, (FILE * file)) {
  if (!has_started()) return;
  giving(file);
  real_funlockfile(file);
  control::gave_up(file);
}

// --- what the headers call instead under _FORTIFY_SOURCE ---------------------------------------------------------
//
// The check is the host's: a call that fails it is given to the host, which ends the program.

namespace {

int print_checked(FILE* file, int flag, const char* format, va_list values, const norn_site& site);

}  // namespace

NORN_INTERPOSE(int, __vfprintf_chk, (FILE * file, int flag, const char* format, va_list values)) {
  return print_checked(file, flag, format, values, site_vfprintf);
}

NORN_INTERPOSE(int, __fprintf_chk, (FILE * file, int flag, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int result = print_checked(file, flag, format, values, site_fprintf);
  va_end(values);
  return result;
}

NORN_INTERPOSE(int, __vprintf_chk, (int flag, const char* format, va_list values)) {
  return print_checked(stdout, flag, format, values, site_vprintf);
}

NORN_INTERPOSE(int, __printf_chk, (int flag, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int result = print_checked(stdout, flag, format, values, site_printf);
  va_end(values);
  return result;
}

namespace {

int print_checked(FILE* file, int flag, const char* format, va_list values, const norn_site& site) {
  if (!has_started()) return 0;
  read_format(format, values, site);
  giving_to(file, site);
  return real___vfprintf_chk(file, flag, format, values);
}

}  // namespace

NORN_INTERPOSE(char*, __fgets_chk, (char* to, size_t room, int size, FILE* file)) {
  if (!has_started()) return nullptr;
  if (size < 0 || static_cast<size_t>(size) > room) return real___fgets_chk(to, room, size, file);
  return norn_interposed_fgets(to, size, file);
}

NORN_INTERPOSE(size_t, __fread_chk, (void* to, size_t room, size_t size, size_t count, FILE* file)) {
  if (!has_started()) return 0;
  size_t bytes = 0;
  if (__builtin_mul_overflow(size, count, &bytes) || bytes > room) {
    return real___fread_chk(to, room, size, count, file);
  }
  return norn_interposed_fread(to, size, count, file);
}
