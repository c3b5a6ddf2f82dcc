// The options of a verb, and what is left of its arguments when they are read.
//
// The only way to CLI11, which is slow to compile: verb_arguments.cc alone sees it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace norn::cli {

struct OptionWords;
struct Verb;

// One option, while it is declared and after it was read.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}

  // What the help shows behind its '='.
  Argument* type_name(const std::string& type);
  // Not together with that one.
  Argument* excludes(const Argument* other);
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option& option_;
};

class Arguments {
 public:
  Arguments();
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // `names`: "--output" or "-o,--output". Of texts, numbers, and either if it is optional; each --NAME=VALUE of a list
  // adds one. verb_arguments.cc has the types that there are.
  template <class Value>
  Argument* add_option(const std::string& names, Value& value, const std::string& help);
  Argument* add_flag(const std::string& names, bool& value, const std::string& help);
  // May stand alone, and means `alone` then; a value stands behind '='.
  Argument* add_flag(const std::string& names, const std::string& alone, std::string& value, const std::string& help);
  // What follows the first word that is no option is all a command's.
  void prefix_command();

  // After parse(): what is no option.
  [[nodiscard]] std::vector<std::string> remaining() const;

 private:
  friend std::optional<int> parse(Arguments& arguments, const Verb& verb, std::vector<std::string> words);
  Argument* keep(CLI::Option* option);
  [[nodiscard]] std::string nearest_option(const std::string& name) const;
  [[nodiscard]] std::vector<OptionWords> words() const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::unique_ptr<Argument>> options_;
};

// Parses the arguments of a verb. Gives the exit status if there is nothing left to do: help was printed, or the
// arguments are wrong and one line said what to type. An option that is unknown is an error that names the nearest
// known one.
[[nodiscard]] std::optional<int> parse(Arguments& arguments, const Verb& verb, std::vector<std::string> words);

}  // namespace norn::cli
