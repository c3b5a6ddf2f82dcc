// What norn run, record and analyze do with what was found: the report, the files, the exit status.
#pragma once

#include <string>

#include "cli/detection.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

// Adds --format to the verb's options; it must outlive the parsing.
void add_format_option(Arguments& app, Detection& detection, std::string& format);

// Prints and writes the reports and gives the exit status: the program's own, or that for races.
[[nodiscard]] int conclude(Detection& detection, const std::string& format);

}  // namespace norn::cli
