// What a classification showed, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "classify/classification.h"

namespace norn::classify {

// What stands below a race's line: the class, what goes wrong, and how to see it again. `command` is that of the input.
[[nodiscard]] std::string text_of(const Classification& classification, const std::vector<std::string>& command);
// The same with the line of the race before it.
[[nodiscard]] std::string text_of(const Classification& classification, const experiment::ConfirmCandidate& candidate,
                                  const std::vector<std::string>& command);

struct Classified {
  experiment::ConfirmCandidate candidate;
  Classification classification;
  double seconds = 0;
};
// { "norn": 1, "classify": [ … ] }
[[nodiscard]] std::string json_of(const std::vector<Classified>& all, const std::vector<Input>& inputs);

// The most harmful first.
[[nodiscard]] bool comes_first(const Classification& a, const Classification& b);

}  // namespace norn::classify
