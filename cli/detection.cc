#include "cli/detection.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "experiment/binary.h"

namespace norn::cli {
namespace {

using experiment::ChildEnd;
using experiment::Linkage;
using experiment::ProgramKind;
using options::Settings;

}  // namespace

std::optional<int> parse_detection(const Verb& verb, Arguments& app, std::vector<std::string> arguments,
                                   Detection& request, bool is_program) {
  // What stands behind -- is the program's, whatever it looks like.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const bool split = dashes != arguments.end();
  std::vector<std::string> behind(split ? dashes + 1 : dashes, arguments.end());
  arguments.erase(dashes, arguments.end());

  if (is_program) app.prefix_command();
  add_run_options(app, request.options);
  request.files.add_options(app);
  app.add_option("--output", request.output, "write the text report here instead of to stderr")->type_name("FILE");
  request.casebook.add_option(app);
  if (is_program) {
    app.add_flag("--launcher", request.launcher,
                 "the program is not instrumented itself, but starts programs that are (make, ctest, python)");
    app.add_flag("--binary", request.binary,
                 "use the front end for unmodified programs, whatever the program is (a shell script, too)");
    app.add_flag("--follow", request.follow, "the same, for the programs that it starts, too");
    app.add_flag("--keep-inputs", request.keeps_inputs,
                 "keep what comes from outside (files, connections, pipes), so that confirm, classify and replay need "
                 "nothing of it again");
  }
  if (const auto status = parse(app, verb, arguments); status) return status;

  request.command = app.remaining();
  if (!request.command.empty() && split) request.command.push_back("--");  // it was the program's own
  request.command.insert(request.command.end(), behind.begin(), behind.end());
  if (is_program && request.command.empty()) {
    complain(fmt::format("say which program to run: norn {} -- ./program", verb.name));
    return kMisuse;
  }
  std::string error;
  if (!resolve(request.options, error) || !request.accepts(error)) {
    complain(error);
    return kMisuse;
  }
  // As a program that is started by hand does it, and as ctest's memory check looks for it (TSAN_OPTIONS).
  const Text log = request.options.settings().log_path;
  if (request.output.empty() && !log.empty() && log != "stderr" && log != "stdout")
    request.output = fmt::format("{}.{}", view(log), getpid());
  return std::nullopt;
}

namespace {

// Whether the program runs under the Valgrind front end: if it was not built with norn, and is not there to start
// others.
bool runs_as_binary(const Detection& request) {
  if (request.binary || request.follow) return true;
  if (request.launcher || request.program.kind == ProgramKind::kInstrumented) return false;
  if (request.program.kind == ProgramKind::kPlain) return true;
  return request.program.linkage == Linkage::kDynamic && !request.program.is_shell_script() &&
         experiment::has_binary_front_end();
}

bool can_run(const Verb& verb, const Detection& request, std::string& error) {
  if (request.program.kind == ProgramKind::kInstrumented) {
    error = fmt::format("{} was built with norn-cc/norn-c++, whose checks would be checked with it: leave {} out",
                        request.command[0], request.binary ? "--binary" : "--follow");
    return false;
  }
  if (!request.options.settings().what_if.empty()) {
    error = fmt::format("--what-if needs a program that was built with norn-cc/norn-c++, which {} was not",
                        request.command[0]);
    return false;
  }
  if (verb.name != std::string_view("run") && verb.name != std::string_view("record")) {
    error =
        fmt::format("{} was not built with norn-cc/norn-c++, so norn can run it, but not {} it; type: norn run -- {}",
                    request.command[0], verb.name, request.command[0]);
    return false;
  }
  return experiment::can_run_binary(request.program, request.command[0], error);
}

// The runtime ends a program that it cannot check, and has said why (runtime/process/settings.cc). Such a program had
// no end of its own, and of its races there is nothing to say.
bool has_refused(const report::Findings& findings, const ChildEnd& end) {
  return end.exit == kMisuse && end.signal == 0 && !findings.first_ended && findings.races.empty();
}

// Valgrind itself ended the program, because it could not go on.
bool has_given_up(const report::Findings& findings, const ChildEnd& end) {
  return findings.processes == 0 || (end.signal == 0 && !end.timed_out && !findings.first_ended);
}

std::string words_of_giving_up(const std::string& name, const report::Findings& findings, const std::string& log) {
  const std::string words = experiment::valgrind_words(log);
  const bool has_log = std::filesystem::exists(log);
  return fmt::format("the Valgrind front end could not {} {}{}{}{}", findings.processes == 0 ? "start" : "go on with",
                     name, words.empty() ? "" : ":", words,
                     has_log ? fmt::format("\n  all that it said is in {}", log) : "");
}

casebook::RunEnd end_of(const ChildEnd& end) {
  return {.exit = end.exit, .signal = end.signal, .timed_out = end.timed_out, .seconds = end.seconds};
}

// An instrumented program that left no record never came to its first instruction.
std::string why_not_started(const ChildEnd& end) {
  constexpr int kLoaderGaveUp = 127;
  if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    return fmt::format("it was killed by SIG{} first", name != nullptr ? name : "?");
  }
  if (end.exit == kLoaderGaveUp) return "the dynamic linker could not load it (it says above why)";
  return fmt::format("it ended with status {} before its first statement", end.exit);
}

void add_note(report::Findings& findings, const std::string& words) {
  std::vector<Text> notes(findings.run.notes.begin(), findings.run.notes.end());
  notes.push_back(findings.pool.keep(words));
  findings.run.notes = findings.pool.keep(std::move(notes));
}

// A source that was changed after what was compiled from it shows other lines than those that raced.
void note_newer_sources(report::Findings& findings, const std::string& program) {
  namespace fs = std::filesystem;
  std::set<std::string> newer;
  for (const report::Race& race : findings.races) {
    for (const report::Access& access : race.accesses) {
      const report::Frame& frame = report::site_of(access);
      if (race.suppressed || frame.file.empty()) continue;
      std::error_code error;
      const fs::path source = fs::path(view(frame.directory)) / view(frame.file);
      const auto changed = fs::last_write_time(source, error);
      if (error) continue;
      const auto built = fs::last_write_time(frame.module.empty() ? fs::path(program) : view(frame.module), error);
      if (!error && changed > built) newer.insert(source.filename().string());
    }
  }
  if (newer.empty()) return;
  const std::string others = newer.size() == 1   ? ""
                             : newer.size() == 2 ? " and another source"
                                                 : fmt::format(" and {} other sources", newer.size() - 1);
  add_note(findings, fmt::format("{}{} {} newer than the program: lines may not match", *newer.begin(), others,
                                 newer.size() == 1 ? "is" : "are"));
}

// What was found goes into the casebook, and what people accepted comes from there.
void keep_in_casebook(const Verb& verb, casebook::NewRun& kept, report::Findings& findings, Detection& request) {
  // Where nothing can be written at all, that was said.
  if (!kept.trouble().empty() && !request.casebook.is_named()) return;
  casebook::RunFacts run = facts_of_command(verb.name, request.command, request.program.path);
  run.key = casebook::key_of(request.kept);
  run.number = request.kept.number;
  run.started = casebook::parse_local_time(request.kept.started).value_or(run.started);
  run.end = request.kept.end;
  const bool is_told = request.casebook.attempt([&](casebook::Casebook& casebook) {
    request.run = casebook.add_run(run, &findings);
    request.accepted = mark_accepted(findings, casebook);
  });
  if (!is_told) kept.leave_untold();
}

}  // namespace

bool load_rules(Detection& request) {
  const Settings& settings = request.options.settings();
  if (settings.suppressions.empty()) return true;
  std::string error;
  const std::string path(view(settings.suppressions));
  if (!request.rules.load(path, error)) {
    complain(error);
    return false;
  }
  // The program may change its directory before it reads them.
  request.options.set("suppressions", std::filesystem::absolute(path).string());
  return true;
}

std::optional<int> read_findings(const Verb& verb, casebook::NewRun& kept, Detection& request) {
  std::string error;
  request.kept = kept.run();
  request.findings = casebook::load_findings(request.kept, error);
  if (!request.findings) {
    complain(error);
    return kMisuse;
  }
  request.rules.apply(*request.findings);
  keep_in_casebook(verb, kept, *request.findings, request);
  return std::nullopt;
}

std::optional<int> detect(const Verb& verb, Arguments& app, std::vector<std::string> arguments, Detection& request) {
  if (const auto status = parse_detection(verb, app, std::move(arguments), request); status) return status;
  const Settings& settings = request.options.settings();

  if (!load_rules(request)) return kMisuse;
  std::string error;
  if (!experiment::find_program(request.command[0], request.program, error)) {
    complain(error);
    return kMisuse;
  }
  const bool binary = runs_as_binary(request);
  if (binary && !can_run(verb, request, error)) {
    complain(error);
    return kMisuse;
  }

  if (request.keeps_inputs && request.program.kind == ProgramKind::kPlain) {
    complain(fmt::format("--keep-inputs needs a program that was built with norn-cc/norn-c++, which {} was not",
                         request.command[0]));
    return kMisuse;
  }
  casebook::NewRun kept(request.command, request.program.path, request.casebook.full_path());
  if (!kept.trouble().empty()) complain(kept.trouble());
  if (!kept.ok() && binary) return kMisuse;
  // As long as its findings are recorded, norn decides what the status says; the program and its children keep their
  // own.
  request.race_status = static_cast<int>(settings.exitcode);
  if (kept.ok()) request.options.set("findings", kept.run().findings());
  if (kept.ok() && request.keeps_inputs)
    request.options.set("keep_inputs", std::filesystem::absolute(kept.run().inputs()).string());
  if (!request.prepare(kept.run())) return kMisuse;
  const std::string list = request.options.list();
  if ((settings.verbose & options::kVerboseOptions) != 0) complain("NORN_OPTIONS=" + list);
  const std::string log = kept.run().directory + "/valgrind.log";
  experiment::Launch launch{request.program.path, request.command, {}};
  if (binary) {
    launch = experiment::binary_launch(request.program, request.command, request.follow, log);
    if (!request.binary && !request.follow) {
      complain(
          fmt::format("{} was not built with norn-cc/norn-c++: it runs under the Valgrind front end, which is slower",
                      request.command[0]));
    }
  }
  launch.environment.push_back({"NORN_OPTIONS", list});
  request.end = experiment::run_child(launch.path, launch.arguments, launch.environment, request.timeout);
  if (!request.end.started) {
    const bool script = request.program.kind == ProgramKind::kScript && request.end.start_error == ENOEXEC;
    complain(fmt::format("{} cannot be started: {}{}", request.command[0], std::strerror(request.end.start_error),
                         script ? "; a script needs a first line like #!/bin/sh" : ""));
    request.end.exit = kMisuse;
    if (kept.ok()) kept.finish(end_of(request.end));
    return kMisuse;
  }
  if (!kept.ok()) {
    if (request.end.signal != 0) experiment::die_by(request.end.signal);
    return request.end.exit;
  }
  kept.finish(end_of(request.end));

  request.kept = kept.run();
  request.findings = casebook::load_findings(request.kept, error);
  if (!request.findings) {
    complain(error);
    return kMisuse;
  }
  if (binary && has_given_up(*request.findings, request.end)) {
    complain(words_of_giving_up(request.command[0], *request.findings, log));
    // What it found until then is true all the same.
    if (request.findings->races.empty()) return kMisuse;
  }
  const bool instrumented = request.program.kind == ProgramKind::kInstrumented && !binary;
  const bool has_runtime = instrumented || request.findings->processes != 0;
  if (!binary && has_runtime && has_refused(*request.findings, request.end)) return kMisuse;
  if (request.findings->processes == 0 && instrumented) {
    // What it could not record it has printed, and its status is for races already.
    std::error_code code;
    if (std::filesystem::exists(kept.run().findings(), code)) {
      if (!request.files.any()) return request.end.exit;
      complain("no report was written: nothing of the run could be recorded");
      return request.end.exit != 0 ? request.end.exit : kMisuse;
    }
    complain(
        fmt::format("{} did not start: {}; nothing was checked", request.command[0], why_not_started(request.end)));
    return kMisuse;
  }
  request.rules.apply(*request.findings);
  keep_in_casebook(verb, kept, *request.findings, request);
  if (request.findings->processes == 0) {
    add_note(*request.findings, "nothing that ran was built with norn-cc/norn-c++: nothing was checked");
  }
  note_newer_sources(*request.findings, request.program.path);
  return std::nullopt;
}

}  // namespace norn::cli
