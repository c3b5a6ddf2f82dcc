// SARIF 2.1.0: for code-scanning services and editors.
//
// A race is one result at its first statement; the second is a related location, and each stack is a thread flow.
// Its id is the partial fingerprint, so a service follows a race over commits.
#pragma once

#include <string>

#include "report/record_reader.h"

namespace norn::report {

// `base` is the directory that URIs are relative to (SRCROOT); empty: none.
[[nodiscard]] std::string render_sarif(const Findings& findings, const std::string& version, const std::string& base);

}  // namespace norn::report
