#include "options/option_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/string_sink.h"
#include "options/options.h"

namespace norn::options {

bool OptionList::resolve(std::string& error, const Warn& warn) {
  OptionError wrong;
  const auto check = [&](const std::string& key, const std::string& value) {
    Settings scratch;
    return set_option(scratch, text_of(key), text_of(value), wrong);
  };
  Text list = std::getenv("TSAN_OPTIONS"), key, value;
  Settings tsan;
  Warn say = warn;
  parse_tsan_options(
      tsan, list,
      [](void* context, Text message) {
        (*static_cast<const Warn*>(context))(fmt::format("TSAN_OPTIONS: {}", view(message)));
      },
      &say);
  while (next_option(list, key, value, true)) {
    const Option* option = find_tsan_option(key);
    if (option != nullptr && check(std::string(view(option->key)), std::string(view(value))))
      values_[std::string(view(option->key))] = value.empty() ? "on" : std::string(view(value));
  }
  list = std::getenv("NORN_OPTIONS");
  // A norn that started this one speaks to its own program there: how this one ends is not its business.
  bool from_norn = false;
  for (Text rest = list; next_option(rest, key, value);) from_norn = from_norn || key == "findings";
  while (next_option(list, key, value)) {
    if (from_norn && (key == "findings" || key == "exitcode")) continue;
    if (!check(std::string(view(key)), std::string(view(value)))) {
      error = fmt::format("NORN_OPTIONS: {}", view(wrong.message()));
      return false;
    }
    const Option* option = find_option(key);
    const char* alone = option->kind == OptionKind::kSet ? "all" : "on";
    values_[std::string(view(option->key))] = value.empty() ? alone : std::string(view(value));
  }
  for (const auto& [name, said] : command_line_) {
    if (said.empty()) continue;
    if (!check(name, said)) {
      error = fmt::format("--{}", view(wrong.message()));
      const size_t end = error.find_first_of("= ");
      std::replace(error.begin(), error.begin() + static_cast<std::ptrdiff_t>(std::min(end, error.size())), '_', '-');
      return false;
    }
    values_[name] = said;
  }
  for (const auto& [name, said] : values_)
    if (!set_option(settings_, text_of(name), text_of(said), wrong)) return false;
  return true;
}

std::string OptionList::list() const {
  std::string out;
  for (const auto& [key, value] : values_) {
    const bool plain = value.find_first_of(": \t\r\n'\"") == std::string::npos;
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    out += out.empty() ? "" : ":";
    out += plain ? fmt::format("{}={}", key, value) : fmt::format("{}={}{}{}", key, quote, value, quote);
  }
  return out;
}

}  // namespace norn::options
