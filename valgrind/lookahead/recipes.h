// SPDX-License-Identifier: GPL-2.0-or-later
// Where the condition variable of a wait is, said for a place where the wait is not made.
#pragma once

#include "valgrind/lookahead/summaries.h"
#include "valgrind/tool/waiting.h"

namespace norn::vg {

struct WaitCall {
  BlockId block;
  Words condition;  // in the callee's words
};

// How the condition variable of a wait is found where the loop is left without having waited. Null: it cannot be.
const Recipe* recipe_of(Flow& flow, const WaitCall& call, BlockId exit);

}  // namespace norn::vg
