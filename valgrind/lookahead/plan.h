// SPDX-License-Identifier: GPL-2.0-or-later
// What was found out about the program's loops, by instruction: the same instruction is translated in several blocks.
#pragma once

#include "valgrind/tool/waiting.h"

namespace norn::vg {

// What is to be emitted at an instruction.
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
    kCounts,      // its load only counts (counting.h); of no loop
  } what;
  uint32_t detail;
  Address ip;
  Address to;
  const WaitingLoop* loop;
  const Recipe* recipe;
  PlanItem* next;
};

// Plans what is to be emitted at an instruction. What is planned already is not planned again.
void plan(PlanItem::What what, Address ip, const WaitingLoop* loop, uint32_t detail = 0, Address to = 0,
          const Recipe* recipe = nullptr);

// What is to be emitted at an instruction: a list through `next`, in which others may stand, too (look at `ip`).
const PlanItem* plan_at(Address ip);

}  // namespace norn::vg
