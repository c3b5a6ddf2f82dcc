// The options of a run as one list for the program: what its environment says, and over it the command line.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "options/run_settings.h"

namespace norn::options {

class OptionList {
 public:
  // What the command line says of an option goes here; left empty, it says nothing.
  [[nodiscard]] std::string& on_command_line(const std::string& key) { return command_line_[key]; }

  // What TSAN_OPTIONS says, over it NORN_OPTIONS, over it the command line. On false, `error` is one line. `warn` gets
  // a line for what is wrong in TSAN_OPTIONS: it was not written for norn, so it is no error.
  using Warn = std::function<void(const std::string& line)>;
  [[nodiscard]] bool resolve(std::string& error, const Warn& warn);

  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  // key=value:… for NORN_OPTIONS, quoted where needed.
  [[nodiscard]] std::string list() const;

 private:
  std::map<std::string, std::string> command_line_;  // by key; "" if not given
  std::map<std::string, std::string> values_;        // what was said, by key
  Settings settings_;                                // points into values_
};

}  // namespace norn::options
