// Paths as inputs name them.
#pragma once

#include "base/text.h"

namespace norn::rt::inputs {

// From the root, in `room` bytes; empty: it has no room there, or is relative to a directory that is not known by name.
[[nodiscard]] Text absolute_path(int directory, const char* path, char* bytes, size_t room);
// It says something of the process or the machine that is so now, and in no other run: /proc/self, /dev.
[[nodiscard]] bool is_of_the_moment(Text path);

}  // namespace norn::rt::inputs
