// SPDX-License-Identifier: GPL-2.0-or-later
// Loads that only count: `x += 1`, where what is loaded goes into the store to the same place and nowhere else. Whoever
// counts under a lock does what it does in whatever order the threads come; all others may do it because of what they
// read (docs/design/order.md, *Handed over*).
//
//   addl $1, hits                                       counts
//   mov hits, %eax; add $1, %eax; mov %eax, hits        counts: %eax is not read again
//   subl $1, refs; je last                              decides: the flags are of what was loaded
//   mov n, %eax; lea 1(%rax), %edx; mov %edx, n; mov %eax, items(,%rax,4)     decides
//
// The load and the store are of one block; where else the value goes is looked for in the whole function. A load of the
// place before the next call that does not count decides for the first one, too: unoptimised, `if (--refs == 0)` loads
// what it has just stored.
#pragma once

#include "valgrind/lookahead/flow.h"

namespace norn::vg {

// Plans (plan.h) for each instruction whose load only counts that it be emitted as such.
void plan_counting(Flow& flow);

}  // namespace norn::vg
