// norn classify --what-if: what a lock is good for (Portend, §5.1 and §6.3.2: "what-if analysis").
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cli/confirm/classes.h"
#include "cli/confirm/classify_request.h"
#include "cli/confirm/used_inputs.h"
#include "cli/renderings.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "report/record_reader.h"

namespace norn::cli {
namespace {

using classify::Class;
using classify::Classified;
using experiment::ConfirmCandidate;

constexpr double kMostForOne = 60;  // seconds, for a race
constexpr unsigned kDetections = 3;

bool is_place(const std::string& word) {
  const size_t colon = word.rfind(':');
  return colon != std::string::npos && colon + 1 < word.size() &&
         word.find_first_not_of("0123456789", colon + 1) == std::string::npos;
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// What the detector finds: while nobody controls the program, or with inputs in random schedules.
bool detect_races(const Ways& ways, std::vector<ConfirmCandidate>& races, std::string& error) {
  std::set<std::string> known;
  for (const Way& way : ways) {
    for (unsigned i = 0; i < kDetections; ++i) {
      const experiment::StagedRun run = way.stage.run_detecting(0, i + 1);
      const auto findings = report::merge_findings({{"findings", run.findings}}, error);
      if (!findings) return false;
      for (ConfirmCandidate& race : experiment::candidates_of(*findings))
        if (race.kind == experiment::CandidateKind::kRace && !race.suppressed && known.insert(race.id).second)
          races.push_back(std::move(race));
    }
  }
  return true;
}

// One operation that is not performed, and what follows.
struct Answer {
  std::string place;
  std::vector<Classified> races;

  // The first is the worst; none is better than any.
  [[nodiscard]] Class worst() const { return races.empty() ? Class::kNone : races[0].classification.kind; }
};

class WhatIf {
 public:
  WhatIf(const ClassifyRequest& request, const experiment::ConfirmSettings& settings, const ConfirmOptions& options,
         Ways& ways)
      : request_(request), settings_(settings), options_(options), ways_(ways) {}

  bool detect_before(std::string& error) {
    std::vector<ConfirmCandidate> races;
    if (!detect_races(ways_, races, error)) return false;
    for (const ConfirmCandidate& race : races) before_.insert(race.id);
    return true;
  }

  // Where a function takes locks, in the runs to learn from.
  bool find_places(const std::string& function, std::vector<std::string>& places, std::string& error) {
    leave_out(function);
    std::set<std::string> found;
    for (const Way& way : ways_)
      for (const std::string& place : way.stage.run_quietly().taken) found.insert(place);
    places.assign(found.begin(), found.end());
    if (!places.empty()) return true;
    return error = fmt::format("--what-if={}: no function of that name takes a lock in a run of {}", function,
                               request_.command[0]),
           false;
  }

  bool ask(const std::string& place, Answer& answer, std::string& error) {
    answer.place = place;
    leave_out(place);
    uint32_t times = 0;
    for (const Way& way : ways_) times += way.stage.run_quietly().left_out;
    if (times == 0)
      return error = fmt::format("--what-if={}: no lock is taken and no barrier waited at there in a run of {}", place,
                                 request_.command[0]),
             false;
    std::vector<ConfirmCandidate> races;
    if (!detect_races(ways_, races, error) || !learn_ways(request_, settings_.timeout, ways_, error)) return false;
    std::erase_if(races, [&](const ConfirmCandidate& race) { return before_.contains(race.id); });
    const double budget = options_.budget(kMostForOne * static_cast<double>(races.size()));
    answer.races = classify_all(races, request_, settings_, budget, ways_,
                                [](const experiment::Verdict& /*verdict*/, const Classified& /*one*/) {});
    return true;
  }

 private:
  void leave_out(const std::string& what) {
    for (Way& way : ways_) {
      way.stage.set_what_if(what);
      way.stage.set_deadline(experiment::Stage::Clock::time_point::max());
      way.reference = {};
    }
  }

  const ClassifyRequest& request_;
  const experiment::ConfirmSettings& settings_;
  const ConfirmOptions& options_;
  Ways& ways_;
  std::set<std::string> before_;  // races that are there anyway
};

std::string words_of(const Answer& answer) {
  if (answer.races.empty()) return "no race follows in these runs";
  const std::string_view worst = name_of(answer.worst());
  return fmt::format("{} race{}, {}{}", answer.races.size(), answer.races.size() == 1 ? "" : "s",
                     answer.races.size() == 1 ? "" : "the worst ", worst.empty() ? "not classified" : worst);
}

void print(const Answer& answer, const Ways& ways) {
  fmt::print("norn: what if {} did nothing: {}\n", answer.place, words_of(answer));
  for (const Classified& one : answer.races)
    fmt::print("{}",
               classify::text_of(one.classification, one.candidate, ways[one.classification.input].stage.command()));
}

}  // namespace

int classify_what_if(const ClassifyRequest& request, const experiment::ConfirmSettings& settings,
                     const ConfirmOptions& options, const options::Settings& judged, Ways& ways) {
  WhatIf what_if(request, settings, options, ways);
  std::string error;
  std::vector<std::string> asked = parts_of(request.what_if), places;
  const bool is_function = std::none_of(asked.begin(), asked.end(), is_place);
  const bool all_places = std::all_of(asked.begin(), asked.end(), is_place);
  if (!all_places && (!is_function || asked.size() != 1)) {
    complain(fmt::format("--what-if={}: it takes FILE:LINE, several of them joined by ',', or the name of a function",
                         request.what_if));
    return kMisuse;
  }
  if (ways.size() == 1 && ways[0].words.empty())
    use_kept_inputs(casebook::last_run_of(request.command[0]), request.command, ways[0].stage);
  bool ok = what_if.detect_before(error);
  if (ok && is_function) ok = what_if.find_places(request.what_if, places, error);
  if (!is_function) places = {request.what_if};  // all at once
  std::vector<Answer> answers(places.size());
  for (size_t i = 0; ok && i < places.size(); ++i) {
    ok = what_if.ask(places[i], answers[i], error);
    if (ok) print(answers[i], ways);
  }
  if (!ok) {
    complain(error);
    return kMisuse;
  }
  std::sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) {
    return std::tuple(b.worst(), a.races.size(), a.place) < std::tuple(a.worst(), b.races.size(), b.place);
  });
  if (is_function) {
    fmt::print("norn: the locks of {}, first those that protect least:\n", request.what_if);
    for (const Answer& answer : answers) fmt::print("      {}  {}\n", answer.place, words_of(answer));
  }
  if (!request.json.empty()) {
    nlohmann::json list = nlohmann::json::array();
    for (const Answer& answer : answers) {
      const auto races = nlohmann::json::parse(classify::json_of(answer.races, inputs_of(ways)));
      list.push_back({{"place", answer.place}, {"classify", races["classify"]}});
    }
    const nlohmann::json whole = {{"norn", 1}, {"what_if", list}};
    if (!write_file(request.json, whole.dump(2) + "\n")) return kMisuse;
  }
  const bool harmful = std::any_of(answers.begin(), answers.end(),
                                   [](const Answer& answer) { return answer.worst() == Class::kSpecViolated; });
  return harmful && judged.fail_on != options::FailOn::kNone ? static_cast<int>(judged.exitcode) : 0;
}

}  // namespace norn::cli
