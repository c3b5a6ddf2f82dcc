#include "cli/option_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/string_sink.h"
#include "cli/terminal.h"
#include "report/record_reader.h"

namespace norn::cli {

void OptionList::add_options(CLI::App& app) {
  for (const options::Option& option : options::kOptions) {
    if (option.use != options::OptionUse::kEverywhere) continue;
    const std::string key(view(option.key));
    std::string flag = key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const std::string help = option.fallback == "none"
                                 ? std::string(view(option.help))
                                 : fmt::format("{} (default: {})", view(option.help), view(option.fallback));
    std::string& value = command_line_[key];
    // Options that may stand alone take a value only behind '=', or they would take the program for one.
    const bool alone = option.kind == options::OptionKind::kFlag || option.kind == options::OptionKind::kSet;
    CLI::Option* added =
        alone ? app.add_flag(fmt::format("--{}{{{}}}", flag, option.kind == options::OptionKind::kSet ? "all" : "on"),
                             value, help)
              : app.add_option("--" + flag, value, help);
    added->type_name(std::string(view(option.values)));
  }
}

bool OptionList::resolve(std::string& error) {
  options::OptionError wrong;
  const auto check = [&](const std::string& key, const std::string& value) {
    options::Settings scratch;
    return options::set_option(scratch, report::text_of(key), report::text_of(value), wrong);
  };
  Text list = std::getenv("TSAN_OPTIONS"), key, value;
  options::Settings tsan;
  options::parse_tsan_options(
      tsan, list, [](void*, Text message) { complain(fmt::format("TSAN_OPTIONS: {}", view(message))); }, nullptr);
  while (options::next_option(list, key, value, true)) {
    const options::Option* option = options::find_tsan_option(key);
    if (option != nullptr && check(std::string(view(option->key)), std::string(view(value))))
      values_[std::string(view(option->key))] = value.empty() ? "on" : std::string(view(value));
  }
  list = std::getenv("NORN_OPTIONS");
  // A norn that started this one speaks to its own program there: how this one ends is not its business.
  bool from_norn = false;
  for (Text rest = list; options::next_option(rest, key, value);) from_norn = from_norn || key == "findings";
  while (options::next_option(list, key, value)) {
    if (from_norn && (key == "findings" || key == "exitcode")) continue;
    if (!check(std::string(view(key)), std::string(view(value)))) {
      error = fmt::format("NORN_OPTIONS: {}", view(wrong.message()));
      return false;
    }
    const options::Option* option = options::find_option(key);
    const char* alone = option->kind == options::OptionKind::kSet ? "all" : "on";
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
    if (!options::set_option(settings_, report::text_of(name), report::text_of(said), wrong)) return false;
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

}  // namespace norn::cli
