// norn report: renders findings again.
#include <fmt/format.h>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "cli/renderings.h"
#include "cli/rules.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "report/record_reader.h"
#include "report/whole_file.h"

namespace norn::cli {
namespace {

// Of the files, or else of the run, which is then in `kept`.
std::optional<report::Findings> read_findings(const std::vector<std::string>& paths, std::optional<int> number,
                                              std::optional<casebook::KeptRun>& kept, std::string& error) {
  if (paths.empty()) {
    kept = casebook::find_run(number, error);
    return kept ? casebook::load_findings(*kept, error) : std::nullopt;
  }
  std::vector<report::FindingsFile> files;
  for (const std::string& path : paths) {
    auto contents = report::read_whole_file(path, error);
    if (!contents) return std::nullopt;
    if (contents->find_first_not_of(" \t\r\n") == std::string::npos) {
      error = fmt::format("{}: it is empty: no findings of norn's", path);
      return std::nullopt;
    }
    files.push_back({path, std::move(*contents)});
  }
  return report::merge_findings(files, error);
}

}  // namespace

int report(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  RenderingFiles files;
  std::string text;
  std::vector<std::string> suppressions;
  int number = 0;
  add_file_option(app, "text", text, true, "write it as text: what is done if nothing else is asked for");
  files.add_options(app, true);
  const Argument* run = app.add_option("--run", number, "of the run of that number")->type_name("N");
  app.add_option("--suppressions", suppressions, "rules for races not to report, in TSan's or Valgrind's format")
      ->type_name("FILE");
  std::string format = "text";
  app.add_option("--format", format, fmt::format("print it as {} (default: text)", format_names()))->type_name("NAME");
  CasebookFile casebook;
  casebook.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;

  std::string error;
  if (!is_format(format, error)) {
    complain(error);
    return kMisuse;
  }
  Rules rules;
  for (const std::string& path : suppressions) {
    if (!rules.load(path, error)) {
      complain(error);
      return kMisuse;
    }
  }
  std::optional<casebook::KeptRun> kept;
  auto findings = read_findings(app.remaining(), run->is_given() ? std::optional(number) : std::nullopt, kept, error);
  if (!findings) {
    complain(error);
    return kMisuse;
  }
  rules.apply(*findings);
  size_t accepted = 0;
  report::Findings& found = *findings;
  casebook.look([&](const casebook::Casebook& known) { accepted = mark_accepted(found, known); });
  if (text.empty() && !files.any()) text = "-";
  const Beside beside{.run = kept ? &*kept : nullptr, .casebook = &casebook};
  bool ok = true;
  if (!text.empty()) {
    const bool terminal = text == "-";
    const TextRendering rendering{.color = terminal && wants_color(1, options::ColorMode::kAuto),
                                  .width = terminal ? terminal_width(1) : 100,
                                  .accepted = accepted,
                                  .next = next_after(*findings, report::Next::kShow)};
    ok = write_file(text, rendered(*findings, beside, format)
                              .value_or(text_of_races(*findings, rendering) + text_of_summary(*findings, rendering)));
  }
  return write_files(files, *findings, beside) && ok ? 0 : kMisuse;
}

}  // namespace norn::cli
