// norn-static, which is a program of its own: the analyses have LLVM in them, which only they need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/race_fwd.h"

namespace norn::cli {

// What it says of a program, as records (report/record.h); `verbose`: what it tells beside. Nothing if it failed, and
// said so itself.
[[nodiscard]] std::optional<std::string> analyse_image(const std::string& program,
                                                       const std::vector<std::string>& verbose = {});

// The same, read.
[[nodiscard]] std::optional<report::Findings> find_statically(const std::string& program,
                                                              const std::vector<std::string>& verbose = {});

}  // namespace norn::cli
