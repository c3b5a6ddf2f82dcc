#include "cli/confirm/conclusion.h"

#include <fmt/format.h>
#include <signal.h>

#include "base/string_sink.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

using options::FailOn;
using options::Settings;
using report::Standing;

bool fails(const report::Findings& findings, FailOn fail_on) {
  const report::RaceCounts counts = findings.counts();
  if (fail_on != FailOn::kNone && (findings.deadlocked() || findings.lost > 0)) return true;
  switch (fail_on) {
    case FailOn::kAny:
      return counts.total() > 0;
    case FailOn::kObserved:
      return counts[Standing::kProved] + counts[Standing::kObserved] + counts[Standing::kConfirmed] > 0;
    case FailOn::kConfirmed:
      return counts[Standing::kConfirmed] > 0;
    case FailOn::kNone:
      return false;
  }
  return false;
}

std::string text_report(const Detection& request, const report::Findings& findings) {
  const Settings& settings = request.options.settings();
  const bool to_file = !request.output.empty();
  const TextRendering rendering{
      .color = to_file ? settings.color == options::ColorMode::kAlways : wants_color(2, settings.color),
      // What happened must not drown in what could happen.
      .predicted = to_file ? ~size_t{0} : 5,
      .width = to_file ? 100 : terminal_width(2),
      .accepted = request.accepted,
      .next = next_after(findings, report::Next::kShow)};
  std::string text = text_of_races(findings, rendering);
  for (const std::string& line : request.rules.account((settings.verbose & options::kVerboseSuppressions) != 0))
    text += fmt::format("norn: {}\n", line);
  if ((settings.verbose & options::kVerboseStats) != 0) {
    const report::Stats& stats = findings.run.stats;
    text += fmt::format("norn: {} events in {} processes, peak memory {} MB\n", stats.events, findings.processes,
                        stats.peak_rss >> 20);
    for (const report::NamedCount& sync : stats.sync) text += fmt::format("norn: {} {}\n", sync.count, view(sync.name));
  }
  return text + text_of_summary(findings, rendering);
}

}  // namespace

void add_format_option(Arguments& app, Detection& detection, std::string& format) {
  app.add_option("--format", format, fmt::format("print the report as {} (default: text)", format_names()))
      ->type_name("NAME");
  detection.accepts = [&format](std::string& error) { return is_format(format, error); };
}

int conclude(Detection& request, const std::string& format) {
  const report::Findings& findings = *request.findings;
  const Beside beside{.run = &request.kept, .casebook = &request.casebook};
  const std::string text = rendered(findings, beside, format).value_or(text_report(request, findings));
  bool written = true;
  if (request.output.empty()) {
    std::fputs(text.c_str(), stderr);  // a closed stderr is the user's choice
  } else {
    written = write_file(request.output, text);
  }
  written = write_files(request.files, findings, beside) && written;

  // Races decide, also when the program was killed: a server that only ever ends by SIGTERM must be able to fail a
  // build. Not on Ctrl-C: whoever pressed it wants the whole command line to stop, and shells look for the signal.
  const bool failed = request.race_status != 0 && fails(findings, request.options.settings().fail_on);
  if (failed && request.end.signal != SIGINT) return request.race_status;
  if (request.end.signal != 0) experiment::die_by(request.end.signal);
  return request.end.exit != 0 || written ? request.end.exit : kMisuse;
}

}  // namespace norn::cli
