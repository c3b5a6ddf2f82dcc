// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of units whose debug information Valgrind 3.19 cannot read: clang's DWARF 5 keeps texts and addresses in tables
// of their own (DW_FORM_strx1, DW_FORM_addrx, …), which Valgrind takes for no bytes at all, and reads the rest of the
// unit from the wrong place.
//
// runtime/debug_info/ reads lines, too, and neither can serve both. That one has the whole file mapped, looks up one
// address at a time, and passes over what it does not understand. Here sections are Valgrind's images, which give one
// byte at a time, all lines of a unit go into Valgrind's tables at once, and the first thing that is wrong ends the
// reading, so that Valgrind's own reader is not misled.
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
