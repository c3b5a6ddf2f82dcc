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

// At most `workers` at a time; `progress` hears how many are done.
[[nodiscard]] std::vector<Result> analyze_all(const std::vector<Job>& jobs, unsigned workers,
                                              const std::function<void(size_t done)>& progress);

}  // namespace norn::analyze
