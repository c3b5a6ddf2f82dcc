// A sink that appends to a std::string: for tools and tests.
#pragma once

#include <string>

#include "report/sink.h"

namespace norn::report {

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

}  // namespace norn::report
