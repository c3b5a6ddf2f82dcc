// Valgrind's XML output, protocol 4, as its tool helgrind writes it: for the CI plugins and viewers that read that.
//
// What the protocol has no element for (thread names, locks, standing) is said in its <auxwhat> texts.
#pragma once

#include <string>

#include "report/race_fwd.h"

namespace norn::report {

[[nodiscard]] std::string render_valgrind_xml(const Findings& findings, const std::string& version);

}  // namespace norn::report
