// norn static: what may race, from the program's image; nothing is run.
#include <fmt/format.h>

#include "cli/renderings.h"
#include "cli/static/static_analysis.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "report/record_reader.h"

namespace norn::cli {

int static_races(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  RenderingFiles files;
  std::vector<std::string> verbose;
  files.add_options(app, true);
  app.add_option("--verbose", verbose, "tell what the analyses found: points-to, threads or locks; may be said again")
      ->type_name("WHAT");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (app.remaining().size() != 1) {
    complain("say which program: norn static ./program");
    return kMisuse;
  }
  for (const std::string& what : verbose) {
    if (what == "points-to" || what == "threads" || what == "locks") continue;
    complain(fmt::format("--verbose={} is not one of points-to, threads or locks", what));
    return kMisuse;
  }
  const std::optional<report::Findings> findings = find_statically(app.remaining()[0], verbose);
  if (!findings) return kMisuse;
  if (!files.any()) {
    const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto), .width = terminal_width(1)};
    fmt::print("{}{}", text_of_races(*findings, rendering), text_of_summary(*findings, rendering));
  }
  return write_files(files, *findings, {}) ? 0 : kMisuse;
}

}  // namespace norn::cli
