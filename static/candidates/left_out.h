// What a build need not check (norn build --only-candidates): accesses of which no two threads can do one to the same
// memory at the same time, one of them writing. Locks, flags and atomics do not count here, though they make pairs no
// candidates: a run reads order out of accesses that have them (docs/design/order.md, docs/design/loops.md).
//
// Where the analysis sees not all of a program, what it does not see may be anything: all that it can reach stays
// checked, and so does what no thread is known to execute.
#pragma once

#include <cstdint>
#include <set>

#include "static/candidates/static_candidates.h"
#include "static/program/incomplete.h"

namespace norn::statics {

struct LeftOut {
  std::set<uint64_t> sites{};  // their identities, as far as their own modules know them
  size_t accesses = 0;         // statements that access memory, atomics apart
};

[[nodiscard]] LeftOut find_left_out(const Program& program, const PointsTo& points_to, const Threads& threads,
                                    const Candidates& candidates, const std::vector<Incompleteness>& causes);

}  // namespace norn::statics
