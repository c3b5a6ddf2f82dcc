// norn replay: the same schedule again.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "cli/confirm/used_inputs.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/child.h"
#include "experiment/consequence.h"
#include "experiment/program.h"
#include "experiment/stage.h"
#include "experiment/story.h"
#include "experiment/verdict_text.h"
#include "report/whole_file.h"
#include "schedule/log_file.h"

namespace norn::cli {
namespace {

using experiment::StagedRun;
using schedule::LogEntry;
using schedule::read_log;
using schedule::write_log;

std::string words_of(const LogEntry& entry, const std::map<uint32_t, std::string>& places) {
  if (entry.op == LogEntry::kPick) return fmt::format("waiter {} of {} is woken", entry.thread + 1, entry.enabled);
  const char* op = entry.op < schedule::kOps ? name_of(static_cast<schedule::Op>(entry.op)) : "?";
  const auto place = places.find(entry.site);
  const std::string where = place != places.end() ? fmt::format(" at {}", place->second)
                            : entry.site != 0     ? fmt::format(" at site {:08x}", entry.site)
                                                  : "";
  return fmt::format("thread {} goes on ({}{}), one of {} that could", entry.thread + 1, op, where, entry.enabled);
}

bool is_same(const schedule::Token& token, const StagedRun& run) {
  return run.controlled && run.decisions == token.decisions && static_cast<uint32_t>(run.hash) == token.hash;
}

// What the two of a race found in memory and wrote there.
void tell_values(const StagedRun& run) {
  const std::map<uint32_t, std::string> places = casebook::places_in(run.findings);
  const auto place = [&](const schedule::MetAccess& met) {
    const auto known = places.find(met.site);
    return fmt::format("{} {}", known == places.end() ? fmt::format("site {:08x}", met.site) : known->second,
                       met.writes != 0 ? "write" : "read");
  };
  if (const std::string values = experiment::words_of(run.met, {place(run.met[0]), place(run.met[1])}); !values.empty())
    complain(fmt::format("values: {}", values));
}

void tell(const schedule::Token& token, const StagedRun& run, const std::vector<LogEntry>& before,
          const std::vector<LogEntry>& now) {
  if (!run.controlled) {
    complain(
        "the program was not controlled: it ended before its runtime started, or was built by another version of norn");
    return;
  }
  if (is_same(token, run)) {
    complain(fmt::format("replayed identically: {} decisions, hash {:08x}", run.decisions, token.hash));
    return;
  }
  if (before.empty()) {
    complain(
        fmt::format("the replay differs: {} decisions with hash {:08x}, not {} with {:08x}; the first run's log is "
                    "not here to say where",
                    run.decisions, static_cast<uint32_t>(run.hash), token.decisions, token.hash));
    return;
  }
  const auto [was, is] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  const std::map<uint32_t, std::string> places = casebook::places_in(run.findings);
  complain(fmt::format("the replay differs from decision {} on: now {}; before, {}", is - now.begin() + 1,
                       is == now.end() ? "the run ended" : words_of(*is, places),
                       was == before.end() ? "the run ended" : words_of(*was, places)));
  if (run.kernel_returns > 0)
    complain("some calls blocked in the kernel: when they return is not part of the schedule");
}

// The long form; its token is of the run that it was made from.
std::optional<schedule::Token> read_schedule(const std::string& path, std::vector<LogEntry>& segments,
                                             std::string& error) {
  const auto text = report::read_whole_file(path, error);
  if (!text) return std::nullopt;
  auto file = experiment::parse_schedule(*text, error);
  if (!file) {
    error = fmt::format("{}: {}", path, error);
    return std::nullopt;
  }
  file->token.hash = file->hash;
  file->token.decisions = file->decisions;
  segments = std::move(file->segments);
  return file->token;
}

}  // namespace

int replay(const Verb& verb, std::vector<std::string> arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> command;
  if (dashes != arguments.end()) command.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  Arguments app;
  bool debugger = false;
  CasebookFile casebook;
  casebook.add_option(app);
  app.add_flag("--gdb", debugger, "in the debugger, stopped where the race's two threads stand at their statements");
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> words = app.remaining();
  if (words.size() != 1 || command.empty()) {
    complain("say which schedule of which program: norn replay TOKEN -- ./program (norn confirm prints tokens)");
    return kMisuse;
  }
  std::string error;
  options::OptionList list;
  experiment::Program program;
  std::optional<schedule::Token> token;
  std::vector<LogEntry> segments;
  if (std::error_code code; std::filesystem::is_regular_file(words[0], code)) {
    token = read_schedule(words[0], segments, error);
  } else {
    token = schedule::decode(words[0], error);
  }
  if (!token || !resolve(list, error) || !experiment::find_program(command[0], program, error)) {
    complain(error);
    return kMisuse;
  }
  experiment::Stage stage(program.path, command, list);
  if (stage.program_hash() != token->program) {
    complain(
        fmt::format("the token was made with another program or another build of it than {}; build that one again, "
                    "or confirm with this one",
                    command[0]));
    return kMisuse;
  }
  if (!token->predicate.empty()) {
    const auto code = experiment::compile_predicate(token->predicate, program.path, error);
    if (!code || !stage.set_predicate(token->predicate, *code)) {
      complain(code ? std::strerror(errno) : error);
      return kMisuse;
    }
  }
  if (token->inputs != 0 && !use_named_inputs(token->inputs, stage, error)) {
    complain(error);
    return kMisuse;
  }
  if (!token->what_if.empty()) stage.set_what_if(token->what_if);
  std::string kept = casebook::kept_schedule(words[0]);
  if (!segments.empty()) {
    kept = stage.log_of(1);
    token->strategy = schedule::StrategyKind::kReplay;
    if (!write_log(kept, segments)) {
      complain(fmt::format("{} cannot be written", kept));
      return kMisuse;
    }
  }
  const StagedRun run = debugger ? stage.debug(*token, kept) : stage.perform(*token, kept);
  if (!run.started) {
    complain(fmt::format("{} cannot be started: {}", debugger ? "gdb" : command[0], std::strerror(run.start_error)));
    return kMisuse;
  }
  if (debugger) return run.exit;
  if (!run.memory_error.empty()) complain(fmt::format("memory error: {}", run.memory_error));
  if (!run.violated.empty()) complain(run.violated);
  if (run.stands_still()) std::fputs(experiment::deadlock_of(run).c_str(), stderr);
  if (casebook.exists()) {
    casebook::RunFacts facts = facts_of_command(verb.name, command, program.path);
    facts.end = {.exit = run.exit, .signal = run.signal, .timed_out = run.timed_out, .seconds = run.seconds};
    casebook.attempt([&](casebook::Casebook& kept_facts) {
      // What is known of no race is no fact of one.
      [[maybe_unused]] const bool known = kept_facts.add_replay(facts, words[0], is_same(*token, run));
    });
  }
  tell_values(run);
  if (!run.inputs_differ.empty()) complain(fmt::format("unlike the recorded run, {}", run.inputs_differ));
  if (run.inputs_came < run.inputs)
    complain(fmt::format("{} of the {} inputs that come at their time did not come: the run ended before",
                         run.inputs - run.inputs_came, run.inputs));
  const bool has_log = segments.empty() && !kept.empty();
  tell(*token, run, has_log ? read_log(kept) : std::vector<LogEntry>(), read_log(stage.log_of(0)));
  if (run.signal != 0) experiment::die_by(run.signal);
  return run.exit;
}

}  // namespace norn::cli
