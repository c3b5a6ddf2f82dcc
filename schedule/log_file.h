// Logs as files, for the command line.
#pragma once

#include <string>
#include <vector>

#include "schedule/log.h"

namespace norn::schedule {

// Its beginning, so many entries at most. Empty if it is not a log.
[[nodiscard]] std::vector<LogEntry> read_log(const std::string& path, uint64_t most = ~uint64_t{0});
[[nodiscard]] bool write_log(const std::string& path, const std::vector<LogEntry>& entries);

}  // namespace norn::schedule
