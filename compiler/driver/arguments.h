// The command line of a C compiler, as far as norn's drivers must understand it.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace norn::compiler {

using Arguments = std::vector<std::string>;

[[nodiscard]] inline bool starts_with(std::string_view text, std::string_view start) { return text.starts_with(start); }
[[nodiscard]] inline bool ends_with(std::string_view text, std::string_view end) { return text.ends_with(end); }

template <size_t N>
[[nodiscard]] bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Whether the option's value is the next argument.
[[nodiscard]] bool takes_value(std::string_view option);

// The arguments with the contents of @files in their place. A file that cannot be read stays as it is.
[[nodiscard]] Arguments expand(const Arguments& arguments);

}  // namespace norn::compiler
