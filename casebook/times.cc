#include "casebook/times.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/string_sink.h"
#include "report/suppression.h"

namespace norn::casebook {

int64_t now() { return std::time(nullptr); }

std::string local_time(int64_t seconds, bool with_seconds) {
  const std::tm local = fmt::localtime(static_cast<std::time_t>(seconds));
  return with_seconds ? fmt::format("{:%Y-%m-%d %H:%M:%S}", local) : fmt::format("{:%Y-%m-%d %H:%M}", local);
}

std::string local_day(int64_t seconds) { return local_time(seconds).substr(0, 10); }

std::string universal_time(int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

bool is_day(std::string_view text) {
  report::Day day{};
  return text.size() == 10 && report::parse_day(text_of(text), day);
}

std::optional<int64_t> parse_local_time(std::string_view text) {
  if (!is_day(text.substr(0, 10))) return std::nullopt;
  const auto number = [&](size_t at, size_t digits) {
    int value = 0;
    for (size_t i = at; i < at + digits; ++i) {
      if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  std::tm local{};
  local.tm_year = number(0, 4) - 1900;
  local.tm_mon = number(5, 2) - 1;
  local.tm_mday = number(8, 2);
  local.tm_isdst = -1;
  if (text.size() != 10) {
    if (text.size() != 16 && text.size() != 19) return std::nullopt;
    if ((text[10] != ' ' && text[10] != 'T') || text[13] != ':') return std::nullopt;
    local.tm_hour = number(11, 2);
    local.tm_min = number(14, 2);
    if (text.size() == 19) local.tm_sec = text[16] == ':' ? number(17, 2) : -1;
    if (local.tm_hour < 0 || local.tm_hour > 23 || local.tm_min < 0 || local.tm_min > 59 || local.tm_sec < 0 ||
        local.tm_sec > 60)
      return std::nullopt;
  }
  return std::mktime(&local);
}

}  // namespace norn::casebook
