// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of units whose debug information Valgrind 3.19 cannot read: clang's DWARF 5 keeps texts and addresses in tables
// of their own (DW_FORM_strx1, DW_FORM_addrx, …), which Valgrind takes for no bytes at all, and reads the rest of the
// unit from the wrong place.
#pragma once

#include "valgrind/tool/private.h"

namespace norn::vg {

struct Unit {
  uint64_t size;   // in .debug_info, with its length
  bool foreign;    // Valgrind cannot read it
  bool has_lines;  // at `lines`, in .debug_line
  uint64_t lines;
};

// The unit that begins there. Gives up (private.h) where it is not as it should be.
[[nodiscard]] Unit unit_at(const DebugSections& sections, uint64_t at);

// Tells Valgrind the lines of a program at `at` in .debug_line (DWARF 5, section 6.2).
void read_lines(const DebugSections& sections, uint64_t at, const DebugLines& into);

}  // namespace norn::vg
