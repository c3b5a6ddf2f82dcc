#include "analyze/witness.h"

#include <charconv>
#include <sstream>

namespace norn::analyze {
namespace {

template <class Number>
bool read(std::string_view text, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string text_of(const Witness& witness) {
  std::ostringstream text;
  text << witness.earlier << ' ' << witness.later << " 0x" << std::hex << witness.address << std::dec;
  for (const auto& [thread, until] : witness.until) text << ' ' << thread << ':' << until;
  return text.str();
}

bool parse_witness(const std::string& text, Witness& witness) {
  std::istringstream words(text);
  std::string earlier, later, address, entry;
  if (!(words >> earlier >> later >> address) || !address.starts_with("0x")) return false;
  witness = {};
  if (!read(earlier, witness.earlier) || !read(later, witness.later)) return false;
  if (!read(std::string_view(address).substr(2), witness.address, 16)) return false;
  while (words >> entry) {
    const std::string_view view = entry;
    const size_t colon = view.find(':');
    ThreadId thread = 0;
    uint64_t until = 0;
    if (colon == std::string_view::npos || !read(view.substr(0, colon), thread) || !read(view.substr(colon + 1), until))
      return false;
    witness.until[thread] = until;
  }
  return true;
}

}  // namespace norn::analyze
