// What norn static finds, for the verbs that start from it (static.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/record_reader.h"

namespace norn::cli {

// Nothing if it failed, and said so. `verbose`: what else it is to tell, on stderr.
[[nodiscard]] std::optional<report::Findings> find_statically(const std::string& program,
                                                              const std::vector<std::string>& verbose);

}  // namespace norn::cli
