// Text inside HTML and XML.
#pragma once

#include <string>
#include <string_view>

#include "base/string_sink.h"

namespace norn::report {

// Neither has a way to write most control characters.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
  return out;
}
inline std::string escaped(Text text) { return escaped(view(text)); }

}  // namespace norn::report
