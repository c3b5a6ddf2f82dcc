// A C expression over a program's globals, compiled to what the program can execute at each point of a schedule
// (schedule/predicate.h). gdb does the work: it knows C, C++ and the types in the debug information, and its agent
// expressions are what we need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/predicate.h"

namespace norn::experiment {

using PredicateCode = std::vector<schedule::PredicateInstruction>;

// Nothing and one line in `error` if the expression cannot be compiled for the program.
[[nodiscard]] std::optional<PredicateCode> compile_predicate(const std::string& expression, const std::string& program,
                                                             std::string& error);

// The same, of what gdb printed.
[[nodiscard]] std::optional<PredicateCode> read_agent_expression(const std::string& printed, std::string& error);

// Characters in single quotes as numbers, which is what gdb's agent expressions know.
[[nodiscard]] std::string with_numbered_characters(const std::string& expression);

}  // namespace norn::experiment
