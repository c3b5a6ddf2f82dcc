#include "cli/confirm/classify_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/confirm/classes.h"

namespace norn::cli {
namespace {

using classify::Classified;
using experiment::ConfirmCandidate;
using experiment::Verdict;

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

// What the user says must hold is looked at in each run.
bool look_at_predicate(const ClassifyRequest& request, const experiment::Program& program, Ways& ways,
                       std::string& error) {
  std::optional<experiment::PredicateCode> code;
  if (!request.predicate.empty()) {
    code = experiment::compile_predicate(request.predicate, program.path, error);
    if (!code) return error = fmt::format("--predicate={}", error), false;
  }
  for (Way& way : ways) {
    way.stage.set_judge(request.judge);
    if (code && !way.stage.set_predicate(request.predicate, *code))
      return error = fmt::format("the predicate cannot be kept for the runs: {}", std::strerror(errno)), false;
  }
  return true;
}

// What does not hold though nobody interferes says nothing about a race; nor does what never holds.
bool holds_by_itself(const ClassifyRequest& request, const Way& way, std::string& error) {
  for (const experiment::Failure& failure : way.reference.failures) {
    if (failure.consequence.harm != experiment::Harm::kPredicate) continue;
    return error = fmt::format("without any race: {}", failure.consequence.detail), false;
  }
  if (!request.predicate.empty() && way.reference.held == 0)
    return error =
               fmt::format("--predicate=\"{}\": it never holds in a run of {}", request.predicate, request.command[0]),
           false;
  return true;
}

}  // namespace

bool find_ways(const ClassifyRequest& request, const experiment::Program& program, const options::OptionList& list,
               Ways& ways, std::string& error) {
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
  if (ways.size() <= request.paths) return look_at_predicate(request, program, ways, error);
  return error = fmt::format("{} inputs were given; --paths={} takes them all", ways.size(), ways.size()), false;
}

bool learn_ways(const ClassifyRequest& request, double timeout, Ways& ways, std::string& error) {
  for (Way& way : ways) {
    if (!experiment::learn_reference(way.stage, timeout, way.reference, error) || !holds_by_itself(request, way, error))
      return false;
    // Five times what a plain run takes (Portend, §5.7), not twenty: harm by the clock is seen in many runs.
    constexpr double kSooner = 4;
    if (timeout == 0) way.stage.set_timeout(way.stage.timeout() / kSooner, false);
  }
  return true;
}

std::vector<classify::Input> inputs_of(const Ways& ways) {
  std::vector<classify::Input> inputs;
  for (const Way& way : ways) inputs.push_back({&way.stage, &way.reference, way.words});
  return inputs;
}

std::vector<Classified> classify_all(const std::vector<ConfirmCandidate>& candidates, const ClassifyRequest& request,
                                     experiment::ConfirmSettings settings, double budget, Ways& ways,
                                     const Known& known) {
  const auto end = deadline_after(budget);
  const std::vector<classify::Input> inputs = inputs_of(ways);
  std::vector<Classified> all;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    settings.deadline = begin + (end - begin) / static_cast<long>(candidates.size() - i);
    std::vector<Verdict> verdicts;
    for (Way& way : ways) {
      way.stage.set_deadline(settings.deadline);
      KeptCorpus corpus(way.stage, settings.seed);
      verdicts.push_back(confirm_to_classify(candidates[i], way.stage, way.reference, settings, *corpus));
    }
    const classify::Settings how{
        .schedules = request.schedules, .jobs = settings.jobs, .seed = settings.seed, .deadline = settings.deadline};
    Classified one{candidates[i], classify::classify(inputs, verdicts, how)};
    one.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    known(verdicts[0], one);
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Classified& a, const Classified& b) {
    return classify::comes_first(a.classification, b.classification);
  });
  return all;
}

}  // namespace norn::cli
