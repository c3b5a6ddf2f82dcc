// Reads bytes that may be anything as a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace norn::trace {

struct ReadOutcome {
  bool is_trace = false;
  uint64_t items = 0;
  std::string error;  // one line, if it is no trace
  std::string cut;    // one line, if it is not whole
};
[[nodiscard]] ReadOutcome read_anything(const uint8_t* bytes, size_t size);
// As STD text, there and back. False: it is none.
[[nodiscard]] bool read_any_text(const uint8_t* bytes, size_t size);

}  // namespace norn::trace
