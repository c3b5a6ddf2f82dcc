// The page as report/web/ was built (page.html), without findings.
#pragma once

#include <string_view>

namespace norn::report {

[[nodiscard]] std::string_view page_template();

}  // namespace norn::report
