// How norn speaks to people: one line for what is wrong, colour on a terminal only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace norn::options {
enum class ColorMode : uint32_t;
}

namespace norn::cli {

// "norn: …" on stderr.
void complain(std::string_view words);

[[nodiscard]] bool is_terminal(int descriptor);

// Columns of the terminal behind a descriptor, 100 if it is none.
[[nodiscard]] size_t terminal_width(int descriptor);

// On a terminal, and neither NO_COLOR nor a dumb terminal, unless the user says otherwise.
[[nodiscard]] bool wants_color(int descriptor, options::ColorMode mode);

}  // namespace norn::cli
