// What people see of races where they review and test: JUnit's XML, GitHub's annotation lines, Markdown for a pull
// request. Each finding stands where its first statement is; `base` is the directory that paths are relative to.
#pragma once

#include <string>

#include "report/race_fwd.h"
#include "report/source.h"

namespace norn::report {

// A test case a race, as CI servers read it: it fails if the race was observed or confirmed, and is skipped if it is
// predicted or suppressed. Without any there is one that passes.
[[nodiscard]] std::string render_junit(const Findings& findings, const std::string& base);

// GitHub's workflow commands, a line a finding: ::error for what was observed or confirmed, ::warning for the rest;
// nothing for what is suppressed.
[[nodiscard]] std::string render_annotations(const Findings& findings, const std::string& base);

// A table, and behind it each race as the text report has it, folded.
[[nodiscard]] std::string render_markdown(const Findings& findings, const std::string& base, SourceFiles& sources);

}  // namespace norn::report
