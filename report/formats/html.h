// The HTML report: one page that needs nothing else, to be kept as a build's artifact or sent to a colleague. Source
// snippets are part of it; it is readable without scripts, on light and dark screens, and on paper.
#pragma once

#include <string>

#include "report/record_reader.h"
#include "report/source.h"

namespace norn::report {

[[nodiscard]] std::string render_html(const Findings& findings, const std::string& version, const std::string& base,
                                      SourceFiles& sources);

}  // namespace norn::report
