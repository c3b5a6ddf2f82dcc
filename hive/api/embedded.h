// Files that are in norn as they are.
#pragma once

#include <string_view>

namespace norn::hive {

[[nodiscard]] std::string_view open_api();  // openapi.json

}  // namespace norn::hive
