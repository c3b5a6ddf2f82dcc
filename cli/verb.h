// A verb of `norn`: one file each, and one line in the table of verbs.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace norn::cli {

inline constexpr int kMisuse = 2;

struct Verb {
  const char* name;
  const char* usage;     // what follows the name: "[options] -- program [arguments]"
  const char* summary;   // half a line, for the list of verbs
  const char* about;     // what it does, in a paragraph or two
  const char* examples;  // lines to type
  int (*main)(const Verb& verb, std::vector<std::string> arguments);
};

[[nodiscard]] std::span<const Verb> verbs();
[[nodiscard]] const Verb* find_verb(std::string_view name);
void print_verb_help(const Verb& verb, const CLI::App& app);

// Parses a verb's arguments. Gives the exit status if there is nothing left to do: help was printed, or the arguments
// are wrong and one line said what to type. What is no option stays in app.remaining(); an option that is unknown is
// an error that names the nearest known one.
[[nodiscard]] std::optional<int> parse(CLI::App& app, const Verb& verb, std::vector<std::string> arguments);

int run(const Verb& verb, std::vector<std::string> arguments);
int show(const Verb& verb, std::vector<std::string> arguments);
int report(const Verb& verb, std::vector<std::string> arguments);
int check(const Verb& verb, std::vector<std::string> arguments);
int confirm(const Verb& verb, std::vector<std::string> arguments);
int replay(const Verb& verb, std::vector<std::string> arguments);
int list(const Verb& verb, std::vector<std::string> arguments);
int note(const Verb& verb, std::vector<std::string> arguments);
int accept(const Verb& verb, std::vector<std::string> arguments);
int diff(const Verb& verb, std::vector<std::string> arguments);
int merge(const Verb& verb, std::vector<std::string> arguments);
int export_all(const Verb& verb, std::vector<std::string> arguments);
int image(const Verb& verb, std::vector<std::string> arguments);
int build(const Verb& verb, std::vector<std::string> arguments);
int static_races(const Verb& verb, std::vector<std::string> arguments);
int doctor(const Verb& verb, std::vector<std::string> arguments);

}  // namespace norn::cli
