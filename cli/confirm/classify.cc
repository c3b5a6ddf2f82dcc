// norn classify: what each race does, with evidence.
#include <fmt/format.h>

#include <algorithm>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/confirm/classes.h"
#include "cli/confirm/classify_request.h"
#include "cli/confirm/used_inputs.h"
#include "cli/detection.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/program.h"
#include "schedule/order.h"

namespace norn::cli {
namespace {

using classify::Classified;
using experiment::ConfirmCandidate;
using experiment::Verdict;

constexpr double kMostForOne = 240;  // seconds, for a race, if nothing else is said

// The findings of the program's last run; without one it is run now, with the detector on.
bool detect_first(const ClassifyRequest& request, KnownFindings& kept, std::string& error) {
  if (casebook::last_run_of(request.command[0]) || !request.choice.from.empty()) return true;
  std::vector<std::string> words = {"--keep-inputs", "--"};
  words.insert(words.end(), request.command.begin(), request.command.end());
  Arguments app;
  Detection detection;
  const auto status = detect(*find_verb("run"), app, words, detection);
  if (status || !detection.findings) {
    error = fmt::format("{} could not be run with the detector on", request.command[0]);
    return false;
  }
  kept.run = detection.kept;
  kept.findings = std::move(detection.findings);
  return true;
}

std::optional<int> check_request(const ClassifyRequest& request) {
  if (request.command.empty()) {
    complain("say which program to run: norn classify --all -- ./program");
    return kMisuse;
  }
  if (!request.what_if.empty()) {
    const bool chooses = request.choice.all || !request.choice.races.empty() || !request.choice.from.empty();
    if (chooses)
      complain("--what-if classifies the races that follow, and no others: leave out --all, --from and races");
    if (chooses) return kMisuse;
  } else if (request.choice.all != request.choice.races.empty()) {
    complain(request.choice.all ? "a race or --all: one of them"
                                : "say what to classify: a race's id (norn show lists them), or --all");
    return kMisuse;
  }
  if (request.paths == 0 || request.schedules > schedule::Order::kMostLater / 2) {
    complain(request.paths == 0 ? "--paths=0: nothing would be tried" : "--schedules: that is too many");
    return kMisuse;
  }
  return std::nullopt;
}

}  // namespace

int classify_races(const Verb& verb, std::vector<std::string> arguments) {
  ClassifyRequest request;
  request.choice.only_races = true;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) request.command.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  Arguments app;
  ConfirmOptions options;
  app.add_flag("--all", request.choice.all, "every race and flag of the last run that is not suppressed");
  app.add_option("--from", request.choice.from, "races of this file: a JSON report of norn, or ThreadSanitizer's text")
      ->type_name("FILE");
  app.add_option("--paths", request.paths, "how many inputs at most (default: 5)")->type_name("N");
  app.add_option("--schedules", request.schedules,
                 "random schedules after the race, beside the two in which one of the threads goes far (default: 2)")
      ->type_name("N");
  app.add_option("--input", request.files, "what the program reads as its standard input; several are several inputs")
      ->type_name("FILE");
  app.add_option("--args", request.arguments, "other arguments for the program: one more input")->type_name("WORDS");
  app.add_option(
         "--predicate", request.predicate,
         "what must hold at each point of the schedule, from when it first holds: an expression of C or C++ over "
         "global variables")
      ->type_name("EXPRESSION");
  app.add_option("--judge", request.judge,
                 "a command that reads what the program wrote to its standard output, and ends with 0 if that is right")
      ->type_name("COMMAND");
  app.add_option(
         "--what-if", request.what_if,
         "what if the lock taken in this line were not taken, or the barrier not waited at: which races follow, "
         "and what they do; of a function: each of its locks, in turn")
      ->type_name("FILE:LINE|FUNCTION");
  options.add(app);
  app.add_option("--fail-on", request.fail_on, "none: the exit status is 0 whatever the classes are")
      ->type_name("WHAT");
  add_file_option(app, "json", request.json, false, "write the classes as JSON");
  request.casebook.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  request.choice.races = app.remaining();
  if (const auto status = check_request(request); status) return *status;

  std::string error;
  experiment::ConfirmSettings settings;
  options::OptionList list;
  if (!request.fail_on.empty()) list.set("fail_on", request.fail_on);
  experiment::Program program;
  Ways ways;
  if (!options.resolve(false, settings, error) || !resolve(list, error) ||
      !experiment::find_program(request.command[0], program, error) ||
      !find_ways(request, program, list, ways, error)) {
    complain(error);
    return kMisuse;
  }
  if (program.kind == experiment::ProgramKind::kPlain) {
    complain(fmt::format("{} was not built with norn-cc/norn-c++; rebuild it with CC=norn-cc CXX=norn-c++",
                         request.command[0]));
    return kMisuse;
  }
  if (!request.what_if.empty()) return classify_what_if(request, settings, options, list.settings(), ways);
  std::map<std::string, casebook::Acceptance> accepted;
  request.casebook.look([&](const casebook::Casebook& casebook) { accepted = accepted_today(casebook); });
  KnownFindings kept;
  std::optional<std::vector<ConfirmCandidate>> candidates;
  if (detect_first(request, kept, error))
    candidates = find_candidates(request.choice, request.command, accepted, kept, error);
  if (!candidates) {
    complain(error);
    return kMisuse;
  }
  if (candidates->empty()) return 0;

  // Other arguments may ask for other inputs.
  if (ways.size() == 1 && ways[0].words.empty()) use_kept_inputs(kept.run, request.command, ways[0].stage);
  if (!learn_ways(request, settings.timeout, ways, error)) {
    complain(error);
    return kMisuse;
  }
  int64_t command = 0;  // in the casebook
  if (kept.findings) {
    const casebook::RunFacts facts = facts_of_command(verb.name, request.command, program.path);
    request.casebook.attempt([&](casebook::Casebook& casebook) { command = casebook.add_run(facts, nullptr); });
  }
  const double budget = options.budget(kMostForOne * static_cast<double>(candidates->size()));
  const std::vector<Classified> all =
      classify_all(*candidates, request, settings, budget, ways, [&](const Verdict& verdict, const Classified& one) {
        if (!kept.findings) return;
        if (ways[0].words.empty()) keep_verdict(*kept.run, *kept.findings, verdict, request.casebook, command);
        keep_class(*kept.run, *kept.findings, one.classification, request.casebook, command);
      });
  for (const Classified& one : all)
    fmt::print("{}",
               classify::text_of(one.classification, one.candidate, ways[one.classification.input].stage.command()));
  fmt::print("{}", summary_of(all, ways.size(), request.paths));
  if (!request.json.empty() && !write_file(request.json, classify::json_of(all, inputs_of(ways)))) return kMisuse;
  const bool harmful = std::any_of(all.begin(), all.end(), [&](const Classified& one) {
    return one.classification.kind == classify::Class::kSpecViolated && !accepted.contains(one.candidate.id);
  });
  const options::Settings& judged = list.settings();
  return harmful && judged.fail_on != options::FailOn::kNone ? static_cast<int>(judged.exitcode) : 0;
}

}  // namespace norn::cli
