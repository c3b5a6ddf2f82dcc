// What an address is, in the program's own words.
#pragma once

#include "base/list.h"
#include "base/text_pool.h"
#include "core/ids.h"
#include "report/race_fwd.h"

namespace norn::rt {

// The variable with static or thread storage that the address lies in; false if there is none. Fills in all of the
// location but its address and size; the name only where the variable's type says what an access of that size is to.
bool locate_global(Address address, uint64_t size, report::Location& location, TextPool& pool);

// The variable on a live thread's stack that the address lies in; false if there is none, or its function has returned.
// `seen`: stacks of the owner at other moments, for a function that is in no call now. Fills in the same, and the
// function, for which `frame` is kept.
struct SeenStack {
  ThreadId thread;
  List<report::Frame> frames;
};
bool locate_local(Address address, uint64_t size, List<SeenStack> seen, report::Location& location,
                  report::Frame& frame, TextPool& pool);

}  // namespace norn::rt
