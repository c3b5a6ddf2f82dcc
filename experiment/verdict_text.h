// What a confirmation showed, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "experiment/confirmation.h"

namespace norn::experiment {

// A paragraph, without colour.
[[nodiscard]] std::string text_of(const Verdict& verdict, const std::vector<std::string>& command);

// { "norn": 1, "confirm": [ … ] }
[[nodiscard]] std::string json_of(const std::vector<Verdict>& verdicts);

}  // namespace norn::experiment
