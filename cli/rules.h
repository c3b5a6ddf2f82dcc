// Suppression rules for a whole run: read, applied to its findings, accounted for.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "report/race_fwd.h"
#include "report/suppression.h"

namespace norn::cli {

class Rules {
 public:
  // Adds a file. On false, `error` is one line with file and line.
  [[nodiscard]] bool load(const std::string& path, std::string& error);

  // Marks the races that a rule is for, and moves them behind the others.
  void apply(report::Findings& findings);

  // Lines about the rules: those that expired; with `all` also what each suppressed and which were of no use.
  [[nodiscard]] std::vector<std::string> account(bool all) const;

 private:
  struct File {
    std::string path;
    std::string contents;
    std::vector<report::Rule> memory;
    std::vector<report::Suppressions> rules;  // one, once it is parsed
  };
  std::deque<File> files_;  // rules point into their contents
};

[[nodiscard]] report::Day today();

}  // namespace norn::cli
