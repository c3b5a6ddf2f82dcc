// norn run: starts a program, waits, reports what it found.
#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/child.h"
#include "cli/history.h"
#include "cli/option_list.h"
#include "cli/program.h"
#include "cli/renderings.h"
#include "cli/rules.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace norn::cli {
namespace {

using report::FailOn;
using report::Settings;
using report::Standing;
using report::view;

struct RunRequest {
  OptionList options;
  RenderingFiles files;
  std::string output;
  bool binary = false;
  bool launcher = false;
  std::vector<std::string> command;
};

std::optional<int> parse_request(const Verb& verb, std::vector<std::string> arguments, RunRequest& request) {
  // What stands behind -- is the program's, whatever it looks like.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const bool split = dashes != arguments.end();
  std::vector<std::string> behind(split ? dashes + 1 : dashes, arguments.end());
  arguments.erase(dashes, arguments.end());

  CLI::App app;
  app.prefix_command();
  request.options.add_options(app);
  request.files.add_options(app);
  app.add_option("--output", request.output, "write the text report here instead of to stderr")->type_name("FILE");
  app.add_flag("--launcher", request.launcher,
               "the program is not instrumented itself, but starts programs that are (make, ctest, python)");
  app.add_flag("--binary", request.binary, "use the front end for unmodified programs even if it is instrumented");
  if (const auto status = parse(app, verb, arguments); status) return status;

  request.command = app.remaining();
  if (!request.command.empty() && split) request.command.push_back("--");  // it was the program's own
  request.command.insert(request.command.end(), behind.begin(), behind.end());
  if (request.command.empty()) {
    complain("say which program to run: norn run -- ./program");
    return kMisuse;
  }
  std::string error;
  if (!request.options.resolve(error)) {
    complain(error);
    return kMisuse;
  }
  return std::nullopt;
}

std::optional<int> refuse(const RunRequest& request, const Program& program) {
  if (request.binary) {
    complain(
        "--binary: the front end for unmodified programs is not part of this norn; rebuild the program with "
        "CC=norn-cc CXX=norn-c++");
    return kMisuse;
  }
  if (program.kind == ProgramKind::kPlain && !request.launcher) {
    complain(
        fmt::format("{} was not built with norn-cc/norn-c++; rebuild it with CC=norn-cc CXX=norn-c++ (or say "
                    "--launcher if it only starts programs that were)",
                    request.command[0]));
    return kMisuse;
  }
  return std::nullopt;
}

bool fails(const report::RaceCounts& counts, FailOn fail_on) {
  switch (fail_on) {
    case FailOn::kAny:
      return counts.total() > 0;
    case FailOn::kObserved:
      return counts[Standing::kObserved] + counts[Standing::kConfirmed] > 0;
    case FailOn::kConfirmed:
      return counts[Standing::kConfirmed] > 0;
    case FailOn::kNone:
      return false;
  }
  return false;
}

std::string text_report(const report::Findings& findings, const Rules& rules, const RunRequest& request) {
  const Settings& settings = request.options.settings();
  const bool to_file = !request.output.empty();
  const TextRendering rendering{
      .color = to_file ? settings.color == report::ColorMode::kAlways : wants_color(2, settings.color),
      // What happened must not drown in what could happen.
      .predicted = to_file ? ~size_t{0} : 5,
      .width = to_file ? 100 : terminal_width(2),
      .next = next_after(report::Next::kShow)};
  std::string text = text_of_races(findings, rendering);
  for (const std::string& line : rules.account((settings.verbose & report::kVerboseSuppressions) != 0))
    text += fmt::format("norn: {}\n", line);
  if ((settings.verbose & report::kVerboseStats) != 0) {
    const report::Stats& stats = findings.run.stats;
    text += fmt::format("norn: {} events in {} processes, peak memory {} MB\n", stats.events, findings.processes,
                        stats.peak_rss >> 20);
    for (const report::NamedCount& sync : stats.sync) text += fmt::format("norn: {} {}\n", sync.count, view(sync.name));
  }
  return text + text_of_summary(findings, rendering);
}

// What keeps the findings from being the whole truth.
void add_notes(report::Findings& findings, const ChildEnd& end, const Program& program) {
  std::vector<report::Text> notes(findings.run.notes.begin(), findings.run.notes.end());
  if (findings.processes == 0) {
    notes.push_back(program.kind == ProgramKind::kInstrumented
                        ? "the program ended before norn's runtime started in it: nothing was checked"
                        : "nothing that ran was built with norn-cc/norn-c++: nothing was checked");
  } else if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    notes.push_back(findings.pool.keep(fmt::format("the program was killed by SIG{}", name != nullptr ? name : "?")));
  }
  findings.run.notes = findings.pool.keep(std::move(notes));
}

}  // namespace

int run(const Verb& verb, std::vector<std::string> arguments) {
  RunRequest request;
  if (const auto status = parse_request(verb, std::move(arguments), request); status) return *status;
  const Settings& settings = request.options.settings();

  std::string error;
  Rules rules;
  if (!settings.suppressions.empty()) {
    const std::string path(view(settings.suppressions));
    if (!rules.load(path, error)) {
      complain(error);
      return kMisuse;
    }
    // The program may change its directory before it reads them.
    request.options.set("suppressions", std::filesystem::absolute(path).string());
  }
  Program program;
  if (!find_program(request.command[0], program, error)) {
    complain(error);
    return kMisuse;
  }
  if (const auto status = refuse(request, program); status) return *status;

  NewRun kept(request.command);
  if (!kept.ok()) return kMisuse;
  // norn decides what the status says; the program and its children keep their own.
  const auto race_status = static_cast<int>(settings.exitcode);
  request.options.set("exitcode", "0");
  request.options.set("findings", kept.run().findings());
  const std::string list = request.options.list();
  if ((settings.verbose & report::kVerboseOptions) != 0) complain("NORN_OPTIONS=" + list);
  const ChildEnd end = run_child(program.path, request.command, {{"NORN_OPTIONS", list}});
  if (!end.started) {
    const bool script = program.kind == ProgramKind::kScript && end.start_error == ENOEXEC;
    complain(fmt::format("{} cannot be started: {}{}", request.command[0], std::strerror(end.start_error),
                         script ? "; a script needs a first line like #!/bin/sh" : ""));
    kept.finish(kMisuse);
    return kMisuse;
  }
  kept.finish(end.exit);

  signal(SIGPIPE, SIG_IGN);  // a reader of the report that went away does not change how the program ended
  auto findings = load_findings(kept.run(), error);
  if (!findings) {
    complain(error);
    return kMisuse;
  }
  rules.apply(*findings);
  add_notes(*findings, end, program);
  const std::string text = text_report(*findings, rules, request);
  bool written = true;
  if (request.output.empty()) {
    std::fputs(text.c_str(), stderr);  // a closed stderr is the user's choice
  } else {
    written = write_file(request.output, text);
  }
  written = write_files(request.files, *findings) && written;

  // Races decide, also when the program was killed: a server that only ever ends by SIGTERM must be able to fail a
  // build. Not on Ctrl-C: whoever pressed it wants the whole command line to stop, and shells look for the signal.
  const bool failed = race_status != 0 && fails(findings->counts(), settings.fail_on);
  if (failed && end.signal != SIGINT) return race_status;
  if (end.signal != 0) die_by(end.signal);
  return end.exit != 0 || written ? end.exit : kMisuse;
}

}  // namespace norn::cli
