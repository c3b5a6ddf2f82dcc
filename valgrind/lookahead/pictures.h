// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of loops, for --dump-cfg.
#pragma once

#include "valgrind/lookahead/translation.h"

namespace norn::vg {

// An edge by which a loop is left.
struct Departure {
  BlockId block;
  Address to;
};

// The loop's blocks by their lines or addresses, those of its condition (the last that was judged) filled; '%' stands
// for the loop's number. Null: nobody wants one.
const char* picture_of(Flow& flow, const Cycles& cycles, const Cycle& cycle, const Departure& left,
                       Translation& translation);

}  // namespace norn::vg
