// Which races a verb is asked for, and where they are known from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "casebook/casebook.h"
#include "casebook/runs.h"
#include "experiment/candidates.h"
#include "report/record_reader.h"

namespace norn::cli {

struct CandidateChoice {
  std::vector<std::string> races;  // ids or their beginnings
  bool all = false;
  bool only_races = false;  // no hazards, but what was taken for a flag
  std::string from;         // a file
};

// The run that verdicts are kept with.
struct KnownFindings {
  std::optional<casebook::KeptRun> run;
  std::optional<report::Findings> findings;
};

// What is asked for. What is accepted or suppressed is left out of all. Nothing and one line in `error` if there is
// none such.
[[nodiscard]] std::optional<std::vector<experiment::ConfirmCandidate>> find_candidates(
    const CandidateChoice& choice, const std::vector<std::string>& command,
    const std::map<std::string, casebook::Acceptance>& accepted, KnownFindings& kept, std::string& error);

}  // namespace norn::cli
