// Logs as files, for the command line.
#pragma once

#include <string>
#include <vector>

#include "schedule/log.h"

namespace norn::schedule {

// Empty if it is not a log.
[[nodiscard]] std::vector<LogEntry> read_log(const std::string& path);
[[nodiscard]] bool write_log(const std::string& path, const std::vector<LogEntry>& entries);

}  // namespace norn::schedule
