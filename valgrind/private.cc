// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/private.h"

// coregrind/pub_core_demangle.h (3.19)
extern "C" void vgPlain_demangle(Bool do_cxx_demangling, Bool do_z_demangling, const HChar* orig, const HChar** result);
// coregrind/pub_core_transtab.h (3.19)
extern "C" void vgPlain_discard_translations(Addr start, ULong range, const HChar* who);

namespace norn::vg {

const char* demangled(const char* name) {
  const HChar* result = name;
  vgPlain_demangle(True, True, name, &result);
  return result;
}

void discard_translations() { vgPlain_discard_translations(Addr{0x1000}, ~ULong{0xfff}, "norn"); }

}  // namespace norn::vg
