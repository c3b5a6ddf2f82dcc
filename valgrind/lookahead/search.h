// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the loops of a function that wait for other threads, and plans what to emit of them.
#pragma once

#include "valgrind/lookahead/summaries.h"

namespace norn::vg {

void find_waiting_loops(GuestCode& code, Flow& flow);

}  // namespace norn::vg
