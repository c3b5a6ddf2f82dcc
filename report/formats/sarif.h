// SARIF 2.1.0: for code-scanning services and editors.
//
// A race is one result at its first statement; the second is a related location, and each stack is a thread flow
// and a stack. Its id is the partial fingerprint, so a service follows a race over commits.
#pragma once

#include <string>

#include "report/race_fwd.h"

namespace norn::report {

// GitHub refuses a file with more results, by its documentation of code scanning.
inline constexpr size_t kMostSarifResults = 25000;

// `base` is the directory that URIs are relative to (SRCROOT); empty: none. Of more results the strongest are there,
// and it is said how many were left out.
[[nodiscard]] std::string render_sarif(const Findings& findings, const std::string& version, const std::string& base,
                                       size_t most_results = kMostSarifResults);

}  // namespace norn::report
