// Programs as they are: how the Valgrind front end is started on one.
#pragma once

#include <string>
#include <vector>

#include "experiment/child.h"
#include "experiment/program.h"

namespace norn::experiment {

// Whether this norn has the front end at all.
[[nodiscard]] bool has_binary_front_end();

// Whether it can run the program. On false, `error` is one line that says why, and what to do.
[[nodiscard]] bool can_run_binary(const Program& program, const std::string& name, std::string& error);

struct Launch {
  std::string path;
  std::vector<std::string> arguments;
  Environment environment;
};

// What to start instead of `command`. `follow`: what the program starts runs under the front end, too. What Valgrind
// itself has to say goes to `log`.
[[nodiscard]] Launch binary_launch(const Program& program, const std::vector<std::string>& command, bool follow,
                                   const std::string& log);

// Why Valgrind could not go on, in its own words, as its log has them; empty: it does not say.
[[nodiscard]] std::string valgrind_words(const std::string& log);

}  // namespace norn::experiment
