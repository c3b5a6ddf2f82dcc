// Traces as text in the STD format of RAPID (Mathur and Viswanathan; github.com/umangm/rapid), one event a line:
//
//   T0|r(V1)|loc     r, w: a read, a write of a variable        acq, rel: of a lock        fork, join: of a thread
//
// STD has no sizes. When a trace is written as STD, the memory is divided where any access of the trace begins or ends,
// and an access is a line for each such piece: two lines have the same variable only if the accesses share bytes.
// Memory that is allocated anew has new variables. A free is a write. STD has no synchronization but locks, forks and
// joins. Whatever else synchronizes takes a lock that stands for its object, and gives it up at once; so does who
// shares a lock. That orders more than there was: another tool may miss races by it, and finds none that were not
// there. Locks are written as taken once however often their thread has them.
//
// A variable that is read from STD becomes eight bytes of memory, a place `loc` becomes a statement of that name.
#pragma once

#include <iosfwd>
#include <string>

#include "trace/trace_reader.h"

namespace norn::trace {

// Gives why the trace ended early; empty: it was whole.
[[nodiscard]] std::string write_std(const TraceFile& file, std::ostream& out);

// Writes a trace file. On false `error` is one line.
[[nodiscard]] bool read_std(std::istream& in, const std::string& name, const std::string& path, std::string& error);

}  // namespace norn::trace
