// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at code that is about to run for loops that wait for other threads (search.h) and for loads that only count
// (counting.h), and plans what to emit of them (plan.h). What waits is judged by loops/loop.h; this is how guest code
// is put to it (docs/design/valgrind.md). A function is looked at once, as a whole, when its first block is translated.
#pragma once

#include "valgrind/lookahead/plan.h"

namespace norn::vg {

// Before the block at this address is translated. Inside instrument().
void look_ahead(Address block, const VexArchInfo& host);

// The block is of a function that only reads: conditions may call it.
bool is_of_accessor(Address block);

}  // namespace norn::vg
