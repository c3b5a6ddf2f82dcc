// What the analyses found, in words, for who wants to know why: norn static --verbose=….
#pragma once

#include <cstdio>

#include "static/candidates.h"
#include "static/points_to.h"
#include "static/program.h"
#include "static/threads.h"

namespace norn::statics {

void explain_points_to(const Program& program, const PointsTo& points_to, std::FILE* out);
void explain_threads(const Threads& threads, std::FILE* out);
void explain_locks(const Program& program, const Candidates& candidates, std::FILE* out);

}  // namespace norn::statics
