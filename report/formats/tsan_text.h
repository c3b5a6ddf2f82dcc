// ThreadSanitizer's text (as of clang 19): for the parsers that people already have.
//
// What was observed or confirmed is a WARNING there; what is only predicted has no word in that format and is left out,
// and so is what is suppressed. What norn does not know (the kernel's thread ids, where a mutex was created) is not
// made up: a mutex is shown with where it was taken, and an offset in a module that is not known is 0.
#pragma once

#include <string>

#include "report/race_fwd.h"

namespace norn::report {

[[nodiscard]] std::string render_tsan_text(const Findings& findings);

}  // namespace norn::report
