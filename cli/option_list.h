// The options of a run, from the command line and from NORN_OPTIONS, as one list for the program.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <map>
#include <string>

#include "options/options.h"

namespace norn::cli {

class OptionList {
 public:
  // An option of `app` for each option of the table that is for people.
  void add_options(CLI::App& app);

  // What TSAN_OPTIONS says, over it NORN_OPTIONS, over it the command line. On false, `error` is one line.
  [[nodiscard]] bool resolve(std::string& error);

  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  [[nodiscard]] const options::Settings& settings() const { return settings_; }
  // key=value:… for NORN_OPTIONS, quoted where needed.
  [[nodiscard]] std::string list() const;

 private:
  std::map<std::string, std::string> command_line_;  // by key; "" if not given
  std::map<std::string, std::string> values_;        // what was said, by key
  options::Settings settings_;                       // points into values_
};

}  // namespace norn::cli
