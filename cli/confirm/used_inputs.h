// What came into a run from outside, given to the runs that look into what it found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "casebook/runs.h"
#include "experiment/stage.h"

namespace norn::cli {

// If that run of this command kept them. Says in one line what they are, or why they are of no use.
void use_kept_inputs(const std::optional<casebook::KeptRun>& run, const std::vector<std::string>& command,
                     experiment::Stage& stage);

// Those that a token names. On false, `error` is one line.
[[nodiscard]] bool use_named_inputs(uint64_t hash, experiment::Stage& stage, std::string& error);

}  // namespace norn::cli
