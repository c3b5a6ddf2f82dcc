// norn confirm: brings the statements of a candidate together, or says that it could not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "cli/confirm/confirm_options.h"
#include "cli/confirm/known_candidates.h"
#include "cli/confirm/used_inputs.h"
#include "cli/renderings.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/confirmation.h"
#include "experiment/program.h"
#include "experiment/search/collected.h"
#include "experiment/story.h"
#include "experiment/verdict_text.h"
#include "report/whole_file.h"

namespace norn::cli {
namespace {

using experiment::ConfirmCandidate;
using experiment::Reference;
using experiment::Stage;
using experiment::Verdict;

struct Request {
  CandidateChoice choice;
  std::vector<std::string> command;
  bool explore = false;
  bool minimize = false;
  bool collect = false;
  std::string json;
  std::string fail_on;
  CasebookFile casebook;
};

std::optional<int> check_request(const Request& request) {
  if (request.command.empty()) {
    complain("say which program to run: norn confirm --all -- ./program");
    return kMisuse;
  }
  const int ways = (request.explore ? 1 : 0) + (request.choice.all ? 1 : 0) + (request.choice.races.empty() ? 0 : 1);
  if (ways == 1) return std::nullopt;
  complain(ways == 0 ? "say what to confirm: a race's id (norn show lists them), --all, or --explore"
                     : "a race, --all or --explore: one of them");
  return kMisuse;
}

void shorten(const Stage& stage, const Reference& reference, Verdict& verdict) {
  if (!verdict.is_confirmed()) return;
  std::string error;
  const auto story = experiment::minimized(stage, verdict, reference, error);
  if (!story) {
    verdict.story = fmt::format("        {}\n", error);
    return;
  }
  verdict.story = story->text;
  if (!story->file.empty()) verdict.story += fmt::format("        as a file for norn replay: {}\n", story->file);
}

using Accepted = std::map<std::string, casebook::Acceptance>;

// The exit status of a confirmation. What is accepted does not count.
int status_of(const std::vector<Verdict>& verdicts, const Accepted& accepted, const options::Settings& settings) {
  if (settings.fail_on == options::FailOn::kNone) return 0;
  const bool any = std::any_of(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) {
    return verdict.is_confirmed() && !accepted.contains(verdict.candidate.id);
  });
  return any ? static_cast<int>(settings.exitcode) : 0;
}

// What shares wrote, as one.
int collect(const std::vector<std::string>& files, const std::string& json, const options::Settings& settings) {
  if (files.empty()) {
    complain("say which files the shares wrote: norn confirm --collect share-*.json");
    return kMisuse;
  }
  experiment::Verdicts sum;
  for (const std::string& file : files) {
    std::string error;
    const auto text = report::read_whole_file(file, error);
    const auto verdicts = text ? experiment::read_verdicts(*text, error) : std::nullopt;
    if (verdicts) error = experiment::add(sum, *verdicts);
    if (!error.empty()) {
      complain(fmt::format("{}: {}", file, error));
      return kMisuse;
    }
  }
  for (const Verdict& verdict : sum.all) fmt::print("{}", experiment::text_of(verdict, sum.command));
  const std::vector<unsigned> missing = sum.missing();
  if (missing.empty() && !json.empty() && !write_file(json, experiment::json_of(sum.all, sum.command))) return kMisuse;
  const int status = status_of(sum.all, {}, settings);
  if (missing.empty()) return status;
  complain(fmt::format("of {} shares {} {} missing: this is not the whole search{}", sum.count,
                       fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are",
                       json.empty() ? "" : fmt::format("; {} is not written", json)));
  return status == 0 ? kMisuse : status;
}

}  // namespace

int confirm(const Verb& verb, std::vector<std::string> arguments) {
  Request request;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) request.command.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  Arguments app;
  ConfirmOptions options;
  app.add_flag("--all", request.choice.all, "every race of the last run that is not suppressed");
  app.add_flag("--explore", request.explore, "no candidate: look what other schedules do");
  app.add_flag("--minimize", request.minimize,
               "find a schedule with few preemptions that shows the same, and tell it as a story");
  app.add_option("--from", request.choice.from, "races of this file: a JSON report of norn, or ThreadSanitizer's text")
      ->type_name("FILE");
  options.add(app);
  app.add_flag("--collect", request.collect,
               "nothing is run: what shares wrote as JSON (the files named) is put together");
  app.add_option("--fail-on", request.fail_on, "none: the exit status is 0 whatever was confirmed")->type_name("WHAT");
  add_file_option(app, "json", request.json, false, "write the verdicts as JSON");
  request.casebook.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  request.choice.races = app.remaining();
  if (request.collect) {
    options::OptionList list;
    std::string error;
    if (!request.fail_on.empty()) list.set("fail_on", request.fail_on);
    if (!resolve(list, error)) {
      complain(error);
      return kMisuse;
    }
    return collect(request.choice.races, request.json, list.settings());
  }
  if (const auto status = check_request(request); status) return *status;

  std::string error;
  experiment::ConfirmSettings settings;
  options::OptionList list;
  if (!request.fail_on.empty()) list.set("fail_on", request.fail_on);
  experiment::Program program;
  if (!options.resolve(request.explore, settings, error) || !resolve(list, error) ||
      !experiment::find_program(request.command[0], program, error)) {
    complain(error);
    return kMisuse;
  }
  if (program.kind == experiment::ProgramKind::kPlain) {
    complain(fmt::format("{} was not built with norn-cc/norn-c++; rebuild it with CC=norn-cc CXX=norn-c++",
                         request.command[0]));
    return kMisuse;
  }
  KnownFindings kept;
  Accepted accepted;
  request.casebook.look([&](const casebook::Casebook& casebook) { accepted = accepted_today(casebook); });
  const auto candidates = request.explore ? std::vector<ConfirmCandidate>(1)
                                          : find_candidates(request.choice, request.command, accepted, kept, error);
  if (!candidates) {
    complain(error);
    return kMisuse;
  }
  Stage stage(program.path, request.command, list);
  if (options.starts_anew()) stage.start_anew();
  if (request.explore) kept.run = casebook::last_run_of(request.command[0]);
  use_kept_inputs(kept.run, request.command, stage);
  const double budget = options.budget(settings.patience != 0 ? kUsualBudget : 0);
  if (budget > 0) {
    settings.deadline = deadline_after(budget);
    stage.set_deadline(settings.deadline);
  }
  Reference reference;
  std::vector<Verdict> verdicts;
  KeptCorpus corpus(stage, settings.seed);
  if (!candidates->empty()) {
    if (!experiment::learn_reference(stage, settings.timeout, reference, error)) {
      complain(error);
      return kMisuse;
    }
  }
  int64_t command = 0;  // in the casebook
  if (!candidates->empty() && kept.findings) {
    const casebook::RunFacts facts = facts_of_command(verb.name, request.command, program.path);
    request.casebook.attempt([&](casebook::Casebook& casebook) { command = casebook.add_run(facts, nullptr); });
  }
  for (const ConfirmCandidate& candidate : *candidates) {
    verdicts.push_back(confirm_in_sight(stage, candidate, reference, settings, *corpus));
    if (kept.findings) keep_verdict(*kept.run, *kept.findings, verdicts.back(), request.casebook, command);
    if (request.minimize) shorten(stage, reference, verdicts.back());
    fmt::print("{}", experiment::text_of(verdicts.back(), request.command));
    std::fflush(stdout);
  }
  // Otherwise each consequence says what was usual.
  if (reference.never_ends) fmt::print("{}", experiment::text_of_usual(reference));
  if (!request.json.empty() &&
      !write_file(request.json, experiment::json_of(verdicts, request.command, settings.share)))
    return kMisuse;
  return status_of(verdicts, accepted, list.settings());
}

}  // namespace norn::cli
