// Function names for people: C++ names can be longer than a screen is wide. Freestanding.
#pragma once

#include "base/sink.h"

namespace norn::report {

// `name` in at most `width` columns, or whole if width is 0. A name that is too long loses template arguments first,
// then parameters, then its outermost scopes. Standard library spellings are always shortened (std::string for
// std::__cxx11::basic_string<char, …>), and control characters are shown as '?'.
void put_function(Text name, size_t width, Sink sink);

}  // namespace norn::report
