#include "cli/verb_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/string_sink.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "options/options.h"

namespace norn::cli {
namespace {

// Words wrapped to `width`, every line but the first indented.
std::string wrapped(std::string_view words, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  size_t at = 0;
  while (at < words.size()) {
    const size_t end = std::min(words.find(' ', at), words.size());
    const size_t length = end - at;
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += words.substr(at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

}  // namespace

Argument* Argument::type_name(const std::string& type) {
  option_.type_name(type);
  return this;
}

Argument* Argument::excludes(const Argument* other) {
  option_.excludes(&other->option_);
  return this;
}

bool Argument::is_given() const { return static_cast<bool>(option_); }

Arguments::Arguments() : app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();  // norn prints its own
  app_->allow_extras();
}

Arguments::~Arguments() = default;

Argument* Arguments::keep(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<Argument>(*option)).get();
}

template <class Value>
Argument* Arguments::add_option(const std::string& names, Value& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}
template <>
Argument* Arguments::add_option(const std::string& names, std::vector<std::string>& value, const std::string& help) {
  return keep(app_->add_option(names, value, help)
                  ->expected(1)
                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                  ->allow_extra_args(false));
}
template Argument* Arguments::add_option(const std::string& names, std::string& value, const std::string& help);
template Argument* Arguments::add_option(const std::string& names, int& value, const std::string& help);
template Argument* Arguments::add_option(const std::string& names, unsigned& value, const std::string& help);
template Argument* Arguments::add_option(const std::string& names, size_t& value, const std::string& help);
template Argument* Arguments::add_option(const std::string& names, double& value, const std::string& help);
template Argument* Arguments::add_option(const std::string& names, std::optional<unsigned>& value,
                                         const std::string& help);
template Argument* Arguments::add_option(const std::string& names, std::optional<double>& value,
                                         const std::string& help);

Argument* Arguments::add_flag(const std::string& names, bool& value, const std::string& help) {
  return keep(app_->add_flag(names, value, help));
}

Argument* Arguments::add_flag(const std::string& names, const std::string& alone, std::string& value,
                              const std::string& help) {
  return keep(app_->add_flag(fmt::format("{}{{{}}}", names, alone), value, help));
}

void Arguments::prefix_command() { app_->prefix_command(); }

std::vector<std::string> Arguments::remaining() const { return app_->remaining(); }

std::string Arguments::nearest_option(const std::string& name) const {
  std::string names;
  for (const CLI::Option* option : app_->get_options())
    for (const std::string& known : option->get_lnames()) names += (names.empty() ? "" : "|") + known;
  return std::string(view(options::nearest_name(text_of(name), text_of(names))));
}

std::vector<OptionWords> Arguments::words() const {
  std::vector<OptionWords> all;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_lnames().empty() || option->get_group().empty()) continue;
    all.push_back(
        {option->get_lnames()[0], option->get_type_name(), option->get_expected_min() == 0, option->get_description()});
  }
  return all;
}

namespace {

std::vector<OptionWords>* asked_for = nullptr;

void print_help(const Verb& verb, const std::vector<OptionWords>& options) {
  constexpr size_t kOptionColumn = 2;
  constexpr size_t kHelpColumn = 26;
  const size_t width = std::clamp<size_t>(terminal_width(1), 60, 100);
  fmt::print("norn {}{}{}\n  {}\n\n{}\n\nOptions:\n", verb.name, *verb.usage != '\0' ? " " : "", verb.usage,
             verb.summary, verb.about);
  for (const OptionWords& option : options) {
    std::string line(kOptionColumn, ' ');
    line += option.usage();
    if (line.size() + 2 > kHelpColumn) {
      line += "\n" + std::string(kHelpColumn, ' ');
    } else {
      line.resize(kHelpColumn, ' ');
    }
    fmt::print("{}{}\n", line, wrapped(option.help, kHelpColumn, width));
  }
  fmt::print("\nExamples:\n");
  std::string_view examples(verb.examples);
  while (!examples.empty()) {
    const size_t end = std::min(examples.find('\n'), examples.size());
    fmt::print("  {}\n", examples.substr(0, end));
    examples.remove_prefix(std::min(end + 1, examples.size()));
  }
}

// CLI11's own words for what a value is not ("Could not convert: --jobs = x") and for one that is not there ("--json: 1
// required FILE missing"), as norn says such things. Others are left as they are.
std::string words_of(const CLI::ParseError& error) {
  const std::string words = error.what();
  constexpr std::string_view kNoNumber = "Could not convert: ";
  constexpr std::string_view kNeeded = ": 1 required ";
  constexpr std::string_view kMissing = " missing";
  const size_t equals = words.find(" = ");
  if (words.starts_with(kNoNumber) && equals != std::string::npos) {
    return fmt::format("{}={} is not a number, or too large a one",
                       words.substr(kNoNumber.size(), equals - kNoNumber.size()), words.substr(equals + 3));
  }
  const size_t needed = words.find(kNeeded);
  if (needed == std::string::npos || !words.ends_with(kMissing)) return words;
  const size_t type = needed + kNeeded.size();
  return fmt::format("{} needs a value: {}={}", words.substr(0, needed), words.substr(0, needed),
                     words.substr(type, words.size() - kMissing.size() - type));
}

}  // namespace

std::string OptionWords::usage() const {
  if (value.empty()) return "--" + name;
  return fmt::format(fmt::runtime(alone ? "--{}[={}]" : "--{}={}"), name, value);
}

std::vector<std::string> OptionWords::values() const {
  // Not of "NAME,...", and not of "FILE".
  if (value.find('|') == std::string::npos) return {};
  return CLI::detail::split(value, '|');
}

std::vector<OptionWords> options_of(const Verb& verb) {
  std::vector<OptionWords> options;
  asked_for = &options;
  [[maybe_unused]] const int status = verb.main(verb, {});
  asked_for = nullptr;
  return options;
}

std::optional<int> parse(Arguments& arguments, const Verb& verb, std::vector<std::string> words) {
  CLI::App& app = *arguments.app_;
  bool help = false;
  app.add_flag("--help,-h", help, "this text");
  if (asked_for != nullptr) {
    *asked_for = arguments.words();
    return 0;
  }
  std::reverse(words.begin(), words.end());  // CLI11 wants the first one last
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{} (norn {} --help)", words_of(error), verb.name));
    return kMisuse;
  }
  if (help) {
    print_help(verb, arguments.words());
    return 0;
  }
  const std::vector<std::string> rest = arguments.remaining();
  const auto unknown = std::find_if(
      rest.begin(), rest.end(), [](const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; });
  // What follows a program's name is the program's.
  const bool ours = unknown != rest.end() && (!app.get_prefix_command() || unknown == rest.begin());
  if (ours) {
    const std::string name = unknown->substr(0, unknown->find('='));
    const std::string nearest = arguments.nearest_option(name.substr(name.find_first_not_of('-')));
    complain(nearest.empty() ? fmt::format("unknown option {}; norn {} --help lists them", name, verb.name)
                             : fmt::format("unknown option {}; did you mean --{}?", name, nearest));
    return kMisuse;
  }
  return std::nullopt;
}

}  // namespace norn::cli
