// The options of a run (options/option_list.h) on the command line.
#pragma once

#include <string>

#include "options/option_list.h"

namespace norn::cli {

class Arguments;

// An option of `app` for each option of the table that is for people.
void add_run_options(Arguments& app, options::OptionList& list);

// Completes the list once the arguments are parsed; complains of what TSAN_OPTIONS has wrong. On false, `error` is one
// line.
[[nodiscard]] bool resolve(options::OptionList& list, std::string& error);

}  // namespace norn::cli
