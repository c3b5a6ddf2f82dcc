// SPDX-License-Identifier: GPL-2.0-or-later
// What the tool uses of Valgrind that is not in its public headers, and that another version may have otherwise.
// Declared and called in private.cc alone.
#pragma once

#include "valgrind/host.h"

namespace norn::vg {

// A C++ name as people write it. The result is good until the next call.
const char* demangled(const char* name);

// All code is translated anew when it runs next. In a system call: the public way is for client requests only.
void discard_translations();

}  // namespace norn::vg
