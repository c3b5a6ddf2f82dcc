// Candidates as records of a findings file (report/record.h), for the renderers that every race has.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "static/candidates/static_candidates.h"

namespace norn::statics {

// `notes`: what limits the analysis of this program.
void write_findings(const std::string& path, const Program& program, const PointsTo& points_to, const Threads& threads,
                    const Candidates& candidates, const std::vector<std::string>& notes, uint64_t microseconds,
                    std::FILE* out);

}  // namespace norn::statics
