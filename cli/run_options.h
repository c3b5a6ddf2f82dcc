// The options of a run (options/option_list.h) on the command line.
#pragma once

#include <string>

#include "options/option_list.h"

namespace CLI {
class App;
}

namespace norn::cli {

// An option of `app` for each option of the table that is for people.
void add_run_options(CLI::App& app, options::OptionList& list);

// Completes the list once the arguments are parsed; complains of what TSAN_OPTIONS has wrong. On false, `error` is one
// line.
[[nodiscard]] bool resolve(options::OptionList& list, std::string& error);

}  // namespace norn::cli
