// Manual pages, of what --help says: norn.1, and one a verb.
#pragma once

#include <string>

namespace norn::cli {

// Into that directory. The exit status: a page that cannot be written was complained of.
[[nodiscard]] int write_manual_pages(const std::string& directory);

}  // namespace norn::cli
