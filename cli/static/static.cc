// norn static: what may race, from the program's image; nothing is run.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "cli/renderings.h"
#include "cli/static/static_analysis.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

namespace {

bool is_through_library(const report::Access& access) { return !access.stack.empty() && access.stack[0].library; }

// Two statements of the program may meet in several ways through library code. A run tells these apart, so each has an
// id; who reads looks at the two statements once. Gives how many are left out.
size_t fold_ways(report::Findings& findings) {
  using Place = std::tuple<std::string_view, uint32_t, uint32_t>;
  const auto place = [](const report::Access& access) {
    return Place{view(access.site.file), access.site.line, access.site.column};
  };
  std::set<std::pair<Place, Place>> told;
  return std::erase_if(findings.races, [&](const report::Race& race) {
    const report::Access& one = race.accesses[0];
    const report::Access& other = race.accesses[1];
    if (!is_through_library(one) && !is_through_library(other)) return false;
    return !told.insert(std::minmax(place(one), place(other))).second;
  });
}

}  // namespace

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
  std::optional<report::Findings> findings = find_statically(app.remaining()[0], verbose);
  if (!findings) return kMisuse;
  if (!files.any()) {
    const size_t ways = fold_ways(*findings);
    const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto), .width = terminal_width(1)};
    fmt::print("{}", text_of_races(*findings, rendering));
    if (ways > 0) fmt::print("norn: {} more ways of these through library code; each has its id in --json\n", ways);
    fmt::print("{}", text_of_summary(*findings, rendering));
  }
  return write_files(files, *findings, {}) ? 0 : kMisuse;
}

}  // namespace norn::cli
