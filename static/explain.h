// What the analyses found, in words, for who wants to know why: norn static --verbose=….
#pragma once

#include <cstdio>

#include "static/candidates/static_candidates.h"
#include "static/order/thread_tree.h"
#include "static/points_to/points_to.h"
#include "static/program/linked_program.h"

namespace norn::statics {

void explain_points_to(const Program& program, const PointsTo& points_to, std::FILE* out);
void explain_threads(const Program& program, const PointsTo& points_to, const Threads& threads, std::FILE* out);
void explain_locks(const Program& program, const Candidates& candidates, std::FILE* out);

}  // namespace norn::statics
