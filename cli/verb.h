// A verb of `norn`: one file each, and one line in the table of verbs.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// An option as help, manual pages and completions tell it.
struct OptionWords {
  std::string name;    // "engine"
  std::string value;   // "hybrid|hb", "FILE"; empty: it takes none
  bool alone = false;  // the value may be left out
  std::string help;

  [[nodiscard]] std::string usage() const;                // "--engine=hybrid|hb"
  [[nodiscard]] std::vector<std::string> values() const;  // those that can be said; empty: any
};
// The options of a verb, which is asked and does nothing.
[[nodiscard]] std::vector<OptionWords> options_of(const Verb& verb);

int run(const Verb& verb, std::vector<std::string> arguments);
int show(const Verb& verb, std::vector<std::string> arguments);
int report(const Verb& verb, std::vector<std::string> arguments);
int check(const Verb& verb, std::vector<std::string> arguments);
int confirm(const Verb& verb, std::vector<std::string> arguments);
int classify_races(const Verb& verb, std::vector<std::string> arguments);
int replay(const Verb& verb, std::vector<std::string> arguments);
int list(const Verb& verb, std::vector<std::string> arguments);
int note(const Verb& verb, std::vector<std::string> arguments);
int accept(const Verb& verb, std::vector<std::string> arguments);
int diff(const Verb& verb, std::vector<std::string> arguments);
int merge(const Verb& verb, std::vector<std::string> arguments);
int export_all(const Verb& verb, std::vector<std::string> arguments);
int image(const Verb& verb, std::vector<std::string> arguments);
int build(const Verb& verb, std::vector<std::string> arguments);
int completion(const Verb& verb, std::vector<std::string> arguments);
int record(const Verb& verb, std::vector<std::string> arguments);
int analyze_trace(const Verb& verb, std::vector<std::string> arguments);
int compare_samplers(const Verb& verb, std::vector<std::string> arguments);
int trace_tool(const Verb& verb, std::vector<std::string> arguments);
int static_races(const Verb& verb, std::vector<std::string> arguments);
int hive(const Verb& verb, std::vector<std::string> arguments);
int doctor(const Verb& verb, std::vector<std::string> arguments);

}  // namespace norn::cli
