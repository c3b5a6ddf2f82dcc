// What the page of a run says beside its findings: the run itself, each race's history, the schedules of its tokens.
#pragma once

#include <string>

#include "cli/renderings.h"
#include "report/formats/html.h"

namespace norn::cli {

// Paths below `base` are shown without it.
[[nodiscard]] report::PageFacts page_facts(const report::Findings& findings, const Beside& beside,
                                           const std::string& base);

}  // namespace norn::cli
