// Files that are in norn as they are.
#pragma once

#include <string_view>

namespace norn::hive {

[[nodiscard]] std::string_view open_api();  // openapi.json
[[nodiscard]] std::string_view web_page();  // page.html, which tools/build-page makes of hive/web/

}  // namespace norn::hive
