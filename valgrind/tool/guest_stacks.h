// SPDX-License-Identifier: GPL-2.0-or-later
// Places: an instruction and the calls that led there, as one number. The calls are followed as they happen
// (instrument.cc), so a place costs one look into a table, needs no unwinding and no debug information.
#pragma once

#include "valgrind/tool/tool_state.h"

namespace norn::vg {

struct Place {
  Address ip;
  uint64_t identity;   // 0: not asked for yet
  StackId parent;      // who called
  StackId next;        // in the bucket
  UInt epoch;          // of the debug information when it was first seen
  StackId stands_for;  // if not kNoStack: the place that this one is taken for, and it is never given to anybody
};

bool init_places();

// The instruction in the thread's present calls; 0: the calls alone.
StackId place(ThreadState& state, Address ip);

const Place* place_at(StackId where);  // null for kNoStack
// Of the frames of library code, and of the first that is not; the same in every run.
uint64_t place_identity(StackId where);

}  // namespace norn::vg
