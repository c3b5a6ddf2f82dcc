// Which races are about one variable, for renderers that show them together.
#pragma once

#include <vector>

#include "report/race_fwd.h"

namespace norn::report {

// For each race a number, the same for those that same_variable() says are about one: that of the first of them.
[[nodiscard]] std::vector<size_t> variables_of(const std::vector<Race>& races);

}  // namespace norn::report
