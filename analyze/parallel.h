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

// The jobs as they are, at most `workers` at a time; `progress` hears how many of how many are done.
[[nodiscard]] std::vector<Result> run_jobs(const std::vector<Job>& jobs, unsigned workers,
                                           const std::function<void(size_t done, size_t all)>& progress);

// The same for whole traces; if there are more workers than traces, each trace is divided (skeleton.h). What is found
// does not depend on their number. A trace of which a part could not be
// analysed has no findings.
[[nodiscard]] std::vector<Result> analyze_all(const std::vector<Job>& traces, unsigned workers,
                                              const std::function<void(size_t done, size_t all)>& progress);

// The process that was recorded; 0 if the trace cannot be read.
[[nodiscard]] uint32_t pid_of(const std::string& trace);

}  // namespace norn::analyze
