// Between the base types and the standard library's: for tools and tests.
#pragma once

#include <string>
#include <string_view>

#include "base/sink.h"

namespace norn {

[[nodiscard]] inline std::string_view view(Text text) { return {text.data, text.size}; }
[[nodiscard]] inline Text text_of(std::string_view text) { return {text.data(), text.size()}; }

// A sink that appends to a std::string.
[[nodiscard]] inline Sink string_sink(std::string& out) {
  return {[](void* context, const char* data, size_t size) { static_cast<std::string*>(context)->append(data, size); },
          &out};
}

// What `put` puts into its sink.
template <class Put>
[[nodiscard]] std::string collect(Put put) {
  std::string out;
  put(string_sink(out));
  return out;
}

}  // namespace norn
