// SPDX-License-Identifier: GPL-2.0-or-later
// Who is called: names of call targets, through the stubs that lead into other libraries. Stripped programs have no
// symbols of their own, but their relocation tables name what they call elsewhere.
#pragma once

#include "base/text.h"
#include "core/event.h"
#include "loops/calls.h"
#include "valgrind/tool/host.h"

namespace norn::vg {

// A stub of the linker's that jumps to a function of another library (.plt, .plt.sec, .plt.got).
bool is_stub(Address code);

// The name of what a call of this address calls, without its version; empty: nobody says.
Text target_name(Address code);

// Where a call of this address ends up: through a stub, if what it leads to is bound already; 0 if it is not.
Address target_of(Address code);

// A function that does not come back: whatever stands behind the call is other code.
bool is_no_return(Address code);
// Nor does it end the thread or the process in good order: an assertion that failed, an exception.
bool is_failure(Address code);

// Whether the function has a way out, as far as can be seen. This reads its code.
class GuestCode;
bool returns(GuestCode& code, Address function, unsigned depth = 0);

struct KnownTarget {
  bool known;
  loops::CallKind kind;
};
KnownTarget known_target(Address code);

}  // namespace norn::vg
