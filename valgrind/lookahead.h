// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the loops that wait for other threads in code that is about to run, and says what to tell of them. What waits
// is judged by loops/loop.h; this is how guest code is put to it (docs/design/valgrind.md). A function is looked at
// once, as a whole, when its first block is translated.
#pragma once

#include "valgrind/waiting.h"

namespace norn::vg {

// What is to be told at an instruction.
struct PlanItem {
  enum class What : uint8_t {
    kRead,        // its load is what an exit waits for
    kTestAndSet,  // its atomic is
    kEvaluate,    // the call is part of a condition; detail: which part
    kEvaluated,   // here such a call returns to
    kWait,        // the call waits in the loop; detail: nothing but the condition follows
    kWaited,      // here it returns to
    kLeave,       // control goes to `to`, and leaves by this exit
    kWaitLeave,   // the same of a loop around a wait
  } what;
  uint32_t detail;
  Address ip;
  Address to;
  const WaitingLoop* loop;
  const Recipe* recipe;
  PlanItem* next;
};

// Before the block at this address is translated. Inside instrument().
void look_ahead(Address block, const VexArchInfo& host);

// What is to be told at an instruction, as a list through `next` in which others may stand, too: look at `ip`.
const PlanItem* plan_at(Address ip);

// The block is of a function that only reads: conditions may call it.
bool is_of_accessor(Address block);

}  // namespace norn::vg
