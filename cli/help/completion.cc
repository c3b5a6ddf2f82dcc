// norn completion: a script for a shell, made of the table of verbs and of what each says of its options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

// The ids of the races that are known here, for verbs that take one.
constexpr const char* kRaces = "norn list 2>/dev/null | sed -n 's/^\\(R[0-9a-f]*\\) .*/\\1/p'";

bool takes_race(const Verb& verb) {
  std::string usage(verb.usage);
  std::transform(usage.begin(), usage.end(), usage.begin(), [](unsigned char c) { return std::toupper(c); });
  return usage.find("RACE") != std::string::npos;
}
bool takes_program(const Verb& verb) {
  return std::string_view(verb.usage).find("-- program") != std::string_view::npos;
}

std::string names_of_verbs(const char* between) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  return fmt::format("{}", fmt::join(names, between));
}

// The text in single quotes, as each of the shells reads it; zsh's lists want more said for some signs.
std::string in_quotes(std::string_view text, std::string_view escaped_signs = "") {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "’";  // what is told is for a reader
    } else {
      if (escaped_signs.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out + "'";
}

// What stands before '=' is a word of its own for bash, and so is '='.
std::string for_bash() {
  std::string out = fmt::format(
      "# Completion of norn for bash. Made by: norn completion bash\n"
      "_norn() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} option= verb= values= options= program= i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    [[ ${{COMP_WORDS[i]}} == -- ]] && program=$((i + 1)) && break\n"
      "    [[ -z $verb && ${{COMP_WORDS[i]}} != -* ]] && verb=${{COMP_WORDS[i]}}\n"
      "  done\n"
      "  if [[ -n $program ]]; then\n"
      "    if declare -F _command_offset > /dev/null; then _command_offset \"$program\"; return; fi\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [[ -z $verb ]]; then\n"
      "    COMPREPLY=($(compgen -W \"{} help\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [[ $word == = ]]; then option=${{COMP_WORDS[COMP_CWORD - 1]}} word=\n"
      "  elif [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == = ]]; then option=${{COMP_WORDS[COMP_CWORD - 2]}}; fi\n"
      "  case $verb in\n",
      names_of_verbs(" "));
  for (const Verb& verb : verbs()) {
    std::string values, names;
    for (const OptionWords& option : options_of(verb)) {
      names += fmt::format("{}--{}{}", names.empty() ? "" : " ", option.name,
                           option.value.empty() || option.alone ? "" : "=");
      if (!option.values().empty())
        values += fmt::format("        --{}) values='{}' ;;\n", option.name, fmt::join(option.values(), " "));
    }
    out += fmt::format("    {})\n      options='{}'\n", verb.name, names);
    if (!values.empty()) out += fmt::format("      case $option in\n{}      esac\n", values);
    if (takes_race(verb)) out += fmt::format("      [[ -z $option && $word != -* ]] && options=$({})\n", kRaces);
    out += "      ;;\n";
  }
  out += fmt::format(
      "    help) options='{}' ;;\n"
      "  esac\n"
      "  if [[ -n $option && -n $values ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "  elif [[ -n $option ]]; then\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  elif [[ $verb == completion ]]; then\n"
      "    COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2> /dev/null\n"
      "    [[ ${{#COMPREPLY[@]}} == 0 && $word != -* ]] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "  return 0\n"
      "}}\n"
      "complete -F _norn norn\n",
      names_of_verbs(" "));
  return out;
}

std::string for_zsh() {
  constexpr std::string_view kSigns = "[]:\\";
  std::string out =
      "#compdef norn\n"
      "# Completion of norn for zsh. Made by: norn completion zsh\n"
      "_norn_races() {\n"
      "  local -a races\n";
  out += fmt::format("  races=(${{(f)\"$({})\"}})\n  compadd -a races\n}}\n_norn() {{\n  local -a verbs\n  verbs=(\n",
                     kRaces);
  for (const Verb& verb : verbs())
    out += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", verb.name, verb.summary)));
  out +=
      "    'help:what a verb does, its options, examples'\n"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( --CURRENT ))\n"
      "  case $verb in\n";
  for (const Verb& verb : verbs()) {
    out += fmt::format("    {})\n      _arguments -S", verb.name);
    for (const OptionWords& option : options_of(verb)) {
      std::string value;
      if (!option.value.empty()) {
        const std::string values = option.values().empty() ? (option.value == "FILE" ? "_files" : " ")
                                                           : fmt::format("({})", fmt::join(option.values(), " "));
        value =
            fmt::format(":{}{}:{}", option.alone ? ":" : "", option.values().empty() ? option.value : "value", values);
      }
      std::string words = in_quotes(option.help, kSigns);
      words = words.substr(1, words.size() - 2);
      out += fmt::format(" \\\n        '--{}{}[{}]{}'", option.name,
                         option.value.empty() ? ""
                         : option.alone       ? "=-"
                                              : "=",
                         words, value);
    }
    if (takes_race(verb)) {
      out += " \\\n        '*:race:_norn_races'";
    } else if (verb.name == std::string_view("completion")) {
      out += " \\\n        '1:shell:(bash zsh fish)'";
    } else {
      out += takes_program(verb) ? " \\\n        '*::program:_normal'" : " \\\n        '*:file:_files'";
    }
    out += " ;;\n";
  }
  return out + "    help) _describe verb verbs ;;\n  esac\n}\n_norn \"$@\"\n";
}

std::string for_fish() {
  std::string out = fmt::format(
      "# Completion of norn for fish. Made by: norn completion fish\n"
      "function __norn_verb\n"
      "  set -l words (commandline -opc)\n"
      "  not contains -- -- $words; and contains -- \"$words[2]\" $argv\n"
      "end\n"
      "function __norn_races\n"
      "  {}\n"
      "end\n",
      kRaces);
  constexpr const char* kFirst = "test (count (commandline -opc)) -eq 1";
  for (const Verb& verb : verbs()) {
    out += fmt::format("complete -c norn -f -n '{}' -a {} -d {}\n", kFirst, verb.name, in_quotes(verb.summary));
    for (const OptionWords& option : options_of(verb)) {
      const bool takes = !option.value.empty() && !option.alone;
      out +=
          fmt::format("complete -c norn -n '__norn_verb {}' -l {}{}{} -d {}\n", verb.name, option.name,
                      takes ? (option.value == "FILE" ? " -r -F" : " -x") : "",
                      option.values().empty() || !takes ? "" : fmt::format(" -a '{}'", fmt::join(option.values(), " ")),
                      in_quotes(option.help));
    }
    if (takes_race(verb))
      out += fmt::format("complete -c norn -f -n '__norn_verb {}' -a '(__norn_races)'\n", verb.name);
  }
  out += fmt::format("complete -c norn -f -n '{}' -a help -d 'what a verb does, its options, examples'\n", kFirst);
  out += fmt::format("complete -c norn -f -n '__norn_verb help' -a '{}'\n", names_of_verbs(" "));
  return out + "complete -c norn -f -n '__norn_verb completion' -a 'bash zsh fish'\n";
}

struct Shell {
  const char* name;
  std::string (*script)();
};
constexpr Shell kShells[] = {{"bash", for_bash}, {"zsh", for_zsh}, {"fish", for_fish}};

}  // namespace

int completion(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> asked = app.remaining();
  const auto shell = std::find_if(std::begin(kShells), std::end(kShells),
                                  [&](const Shell& each) { return asked.size() == 1 && asked[0] == each.name; });
  if (shell == std::end(kShells)) {
    complain("say for which shell: norn completion bash, zsh or fish");
    return kMisuse;
  }
  fmt::print("{}", shell->script());
  return 0;
}

}  // namespace norn::cli
