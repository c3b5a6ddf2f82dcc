// Lengths of texts, without the C library's functions.
#pragma once

#include <stddef.h>

namespace norn::rt {

size_t length_of(const char* text);
size_t length_of(const char* text, size_t most);

}  // namespace norn::rt
