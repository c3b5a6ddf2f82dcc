// What is proved of a trace: races that have a witness (sync_preserving.h), each of which was checked
// (witness_checker.h). They go into the findings as every front end's do.
#pragma once

#include <string>
#include <vector>

#include "analyze/offline.h"
#include "analyze/witness.h"
#include "trace/trace_reader.h"

namespace norn::analyze {

// A file up to a timestamp. All but the last were recorded before a fork, by the process's ancestors.
struct Stretch {
  const trace::TraceFile* file = nullptr;
  uint64_t until = 0;
};

// In the process of the analysis, when its tables, options and findings are there.
[[nodiscard]] Outcome prove(const Job& job, const std::vector<Stretch>& stretches, std::string& error);

// One answer for each witness; empty: it holds. Timestamps are the last file's.
[[nodiscard]] std::vector<std::string> check_witnesses(const std::vector<Stretch>& stretches,
                                                       std::vector<Witness> witnesses);

}  // namespace norn::analyze
