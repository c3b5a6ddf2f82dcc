#include "cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/string_sink.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "options/options.h"

namespace norn::cli {

void add_run_options(Arguments& app, options::OptionList& list) {
  for (const options::Option& option : options::all_options()) {
    if (option.use != options::OptionUse::kEverywhere) continue;
    const std::string key(view(option.key));
    std::string flag = key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const std::string help = option.fallback == "none"
                                 ? std::string(view(option.help))
                                 : fmt::format("{} (default: {})", view(option.help), view(option.fallback));
    std::string& value = list.on_command_line(key);
    // Options that may stand alone take a value only behind '=', or they would take the program for one.
    const bool alone = option.kind == options::OptionKind::kFlag || option.kind == options::OptionKind::kSet;
    Argument* added =
        alone ? app.add_flag("--" + flag, option.kind == options::OptionKind::kSet ? "all" : "on", value, help)
              : app.add_option("--" + flag, value, help);
    added->type_name(std::string(view(option.values)));
  }
}

bool resolve(options::OptionList& list, std::string& error) { return list.resolve(error, complain); }

}  // namespace norn::cli
