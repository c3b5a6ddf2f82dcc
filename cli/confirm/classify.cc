// norn classify: what each race does, with evidence.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "classify/classification_text.h"
#include "cli/confirm/classes.h"
#include "cli/confirm/confirm_options.h"
#include "cli/confirm/known_candidates.h"
#include "cli/detection.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/program.h"
#include "schedule/order.h"

namespace norn::cli {
namespace {

using classify::Classification;
using classify::Classified;
using experiment::ConfirmCandidate;
using experiment::Reference;
using experiment::Stage;
using experiment::Verdict;

constexpr double kMostForOne = 240;  // seconds, for a race, if nothing else is said

struct Request {
  CandidateChoice choice;
  std::vector<std::string> command;
  std::vector<std::string> files;      // --input
  std::vector<std::string> arguments;  // --args
  unsigned paths = 5;
  unsigned schedules = 2;
  std::string json;
  std::string fail_on;
  CasebookFile casebook;
};

// The words of a command line, as a shell would part them where nothing is quoted.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// One way to run the program, with all it needs.
struct Way {
  Way(const std::string& program, std::vector<std::string> words, const options::OptionList& list)
      : stage(program, std::move(words), list) {
    stage.set_capture(true);
  }

  Stage stage;
  Reference reference;
  std::string words;
};

// The command line as it is, each of the input files, each of the other command lines; so many at most.
bool find_ways(const Request& request, const experiment::Program& program, const options::OptionList& list,
               std::deque<Way>& ways, std::string& error) {
  if (request.files.empty()) ways.emplace_back(program.path, request.command, list);
  for (const std::string& file : request.files) {
    if (std::error_code code; !std::filesystem::is_regular_file(file, code))
      return error = fmt::format("--input={}: no such file", file), false;
    ways.emplace_back(program.path, request.command, list).words = fmt::format("--input={}", file);
    ways.back().stage.set_input(std::filesystem::absolute(file).string());
  }
  for (const std::string& text : request.arguments) {
    std::vector<std::string> command = {request.command[0]};
    const std::vector<std::string> words = words_in(text);
    command.insert(command.end(), words.begin(), words.end());
    ways.emplace_back(program.path, command, list).words = fmt::format("--args=\"{}\"", text);
  }
  if (ways.size() <= request.paths) return true;
  return error = fmt::format("{} inputs were given; --paths={} takes them all", ways.size(), ways.size()), false;
}

// The findings of the program's last run; without one it is run now, with the detector on.
bool detect_first(const Request& request, KnownFindings& kept, std::string& error) {
  if (casebook::last_run_of(request.command[0]) || !request.choice.from.empty()) return true;
  std::vector<std::string> words = {"--"};
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

std::optional<int> check_request(const Request& request) {
  if (request.command.empty()) {
    complain("say which program to run: norn classify --all -- ./program");
    return kMisuse;
  }
  if (request.choice.all != request.choice.races.empty()) {
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
  Request request;
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
  std::deque<Way> ways;
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

  std::vector<classify::Input> inputs;
  for (Way& way : ways) {
    if (!experiment::learn_reference(way.stage, settings.timeout, way.reference, error)) {
      complain(error);
      return kMisuse;
    }
    // Five times what a plain run takes (Portend, §5.7), not twenty: harm by the clock is seen in many runs.
    constexpr double kSooner = 4;
    if (settings.timeout == 0) way.stage.set_timeout(way.stage.timeout() / kSooner, false);
    inputs.push_back({&way.stage, &way.reference, way.words});
  }
  int64_t command = 0;  // in the casebook
  if (kept.findings) {
    const casebook::RunFacts facts = facts_of_command(verb.name, request.command, program.path);
    request.casebook.attempt([&](casebook::Casebook& casebook) { command = casebook.add_run(facts, nullptr); });
  }
  const double budget = options.budget(kMostForOne * static_cast<double>(candidates->size()));
  const auto end = deadline_after(budget);
  std::vector<Classified> all;
  for (size_t i = 0; i < candidates->size(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    settings.deadline = begin + (end - begin) / static_cast<long>(candidates->size() - i);
    std::vector<Verdict> verdicts;
    for (Way& way : ways) {
      way.stage.set_deadline(settings.deadline);
      KeptCorpus corpus(way.stage, settings.seed);
      verdicts.push_back(confirm_to_classify((*candidates)[i], way.stage, way.reference, settings, *corpus));
      if (kept.findings && way.words.empty())
        keep_verdict(*kept.run, *kept.findings, verdicts.back(), request.casebook, command);
    }
    const classify::Settings how{
        .schedules = request.schedules, .jobs = settings.jobs, .seed = settings.seed, .deadline = settings.deadline};
    Classified one{(*candidates)[i], classify::classify(inputs, verdicts, how)};
    one.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (kept.findings) keep_class(*kept.run, *kept.findings, one.classification, request.casebook, command);
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Classified& a, const Classified& b) {
    return classify::comes_first(a.classification, b.classification);
  });
  for (const Classified& one : all)
    fmt::print("{}",
               classify::text_of(one.classification, one.candidate, ways[one.classification.input].stage.command()));
  fmt::print("{}", summary_of(all, ways.size(), request.paths));
  if (!request.json.empty() && !write_file(request.json, classify::json_of(all, inputs))) return kMisuse;
  const bool harmful = std::any_of(all.begin(), all.end(), [&](const Classified& one) {
    return one.classification.kind == classify::Class::kSpecViolated && !accepted.contains(one.candidate.id);
  });
  const options::Settings& judged = list.settings();
  return harmful && judged.fail_on != options::FailOn::kNone ? static_cast<int>(judged.exitcode) : 0;
}

}  // namespace norn::cli
