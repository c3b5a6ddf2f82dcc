// Analyses traces in processes of their own, several at once: a detector is one to a process, and a trace that breaks
// one breaks nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyze/offline.h"

namespace norn::analyze {

struct Result {
  Outcome outcome = Outcome::kDone;
  std::string error;  // one line
};

// At most `workers` at a time; if there are more of them than traces, each trace is divided (skeleton.h). What is found
// does not depend on their number. `progress` hears how many of how many are done. A trace of which a part could not be
// analysed has no findings.
[[nodiscard]] std::vector<Result> analyze_all(const std::vector<Job>& traces, unsigned workers,
                                              const std::function<void(size_t done, size_t all)>& progress);

}  // namespace norn::analyze
