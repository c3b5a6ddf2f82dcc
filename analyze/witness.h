// A witness of a race: a reordering of the trace after which two accesses can be done, one right after the other.
//
// It is given by what it leaves out. Each thread does its events up to a timestamp, in the order of the trace; then
// come the two accesses, which are the next events of their threads.
#pragma once

#include <map>
#include <string>

#include "core/ids.h"

namespace norn::analyze {

struct Witness {
  std::map<ThreadId, uint64_t> until;  // the timestamp of the thread's last event; who is not there does nothing
  uint64_t earlier = 0;                // timestamps of the two accesses, as the trace has them
  uint64_t later = 0;
  Address address = 0;  // a byte that both access
};

// In one line: the two timestamps, the byte, and THREAD:TIMESTAMP for each thread.
[[nodiscard]] std::string text_of(const Witness& witness);
// False: it is none.
[[nodiscard]] bool parse_witness(const std::string& text, Witness& witness);

}  // namespace norn::analyze
