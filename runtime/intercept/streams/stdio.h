// Streams of the C library.
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "norn/site.h"

namespace norn::rt {

// What a format of printf's family reads: itself, and the texts of its %s.
void read_format(const char* format, va_list values, const norn_site& site);

// What was written by one into memory of that size; gives the length that the function returned.
constexpr size_t kAnySize = ~size_t{0};
int wrote_format(char* to, size_t size, int length, const norn_site& site);

// Writes out what they hold, as exit() would.
void flush_streams();

}  // namespace norn::rt
