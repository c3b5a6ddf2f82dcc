// norn check: run, confirm what was found, explore with the time that is left; one verdict for each race.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "base/string_sink.h"
#include "classify/classification_text.h"
#include "cli/confirm/classes.h"
#include "cli/confirm/confirm_options.h"
#include "cli/confirm/used_inputs.h"
#include "cli/detection.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/child.h"
#include "experiment/verdict_text.h"

namespace norn::cli {
namespace {

using experiment::ConfirmCandidate;
using experiment::Harm;
using experiment::Verdict;
using options::FailOn;
using report::Standing;

constexpr unsigned kPatience = 100;  // schedules that show nothing new end the exploring
constexpr unsigned kNoEnd = 1u << 30;

using Classes = std::map<std::string, classify::Classification>;  // by race

// What has no class is ranked by the harm that was seen.
classify::Class class_of(const Verdict& verdict, const Classes& classes) {
  const auto known = classes.find(verdict.candidate.id);
  if (known != classes.end() && known->second.kind != classify::Class::kNone) return known->second.kind;
  if (verdict.harm() <= Harm::kHang) return classify::Class::kSpecViolated;
  return verdict.harm() == Harm::kNone ? classify::Class::kNone : classify::Class::kOutputDiffers;
}

// Confirmed first, the more harmful the earlier: by class, and by what was seen.
bool comes_first(const Verdict& a, const Verdict& b, const Classes& classes) {
  const auto rank = [&](const Verdict& verdict) {
    const classify::Class kind = class_of(verdict, classes);
    return std::tuple(!verdict.is_confirmed(), kind, verdict.harm(), verdict.candidate.id);
  };
  return rank(a) < rank(b);
}

std::string summary(const std::vector<Verdict>& verdicts, const Verdict& explored, const report::RunSummary& run,
                    const std::string& accepted) {
  std::string notes = accepted.empty() ? "" : fmt::format("norn: {}\n", accepted);
  for (const Text note : run.notes) notes += fmt::format("norn: note: {}\n", view(note));
  const auto confirmed =
      std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.is_confirmed(); });
  const auto harmful = std::count_if(verdicts.begin(), verdicts.end(),
                                     [](const Verdict& v) { return v.is_confirmed() && v.harm() != Harm::kNone; });
  if (verdicts.empty()) {
    const char* others = accepted.empty() ? "" : "other ";
    const std::string known = !run.checked ? "nothing was checked"
                              : run.ended  ? fmt::format("no {}races found", others)
                                           : fmt::format("0 {}races so far", others);
    const std::string tried = explored.runs == 0 || explored.is_confirmed()
                                  ? ""
                                  : fmt::format("; nothing seen in {} schedules", explored.runs);
    return notes + fmt::format("norn: {}, nothing to confirm{}\n", known, tried);
  }
  return notes + fmt::format("norn: {} to confirm: {} confirmed, {} of them with consequences; {} not met\n",
                             verdicts.size(), confirmed, harmful, static_cast<long>(verdicts.size()) - confirmed);
}

// The time that one of so many candidates has; the last part of it is for exploring.
std::chrono::steady_clock::time_point share_of(std::chrono::steady_clock::time_point end, size_t left) {
  const auto now = std::chrono::steady_clock::now();
  return now + (end - now) / static_cast<long>(left + 1);
}

// How the run that was watched failed, if it did: nothing is known of it but its end.
std::optional<experiment::Failure> failure_of(const experiment::ChildEnd& end, const experiment::Reference& reference) {
  if (end.timed_out) return experiment::Failure{{Harm::kHang, "it did not end in its half of the time"}, ""};
  if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    const Harm harm = end.signal == SIGABRT ? Harm::kAbort : Harm::kCrash;
    return experiment::Failure{{harm, fmt::format("SIG{}", name != nullptr ? name : "?")}, ""};
  }
  if (reference.runs != 0 && !reference.is_usual_status(end.exit))
    return experiment::Failure{{Harm::kStatus, fmt::format("{}", end.exit)}, ""};
  return std::nullopt;
}

// Which of these harms are done by what does not count (accepted, or suppressed): each of that is brought together,
// until nothing is left to explain. By harm, who does it.
std::map<Harm, ConfirmCandidate> done_by_silenced(std::set<Harm> harms, const std::vector<ConfirmCandidate>& silenced,
                                                  const experiment::Stage& stage,
                                                  const experiment::Reference& reference,
                                                  experiment::ConfirmSettings settings, experiment::Corpus& corpus,
                                                  std::chrono::steady_clock::time_point end) {
  std::map<Harm, ConfirmCandidate> done;
  for (size_t i = 0; i < silenced.size() && !harms.empty(); ++i) {
    settings.deadline = share_of(end, silenced.size() - i - 1);
    const Verdict verdict = confirm_in_sight(stage, silenced[i], reference, settings, corpus);
    if (!verdict.is_confirmed()) continue;
    for (const experiment::SeenConsequence& seen : verdict.consequences)
      if (harms.erase(seen.consequence.harm) != 0) done.emplace(seen.consequence.harm, silenced[i]);
  }
  return done;
}

std::string words_of_excuse(const ConfirmCandidate& candidate) {
  return fmt::format("        not counted: R{} does the same ({}), and is accepted or suppressed\n", candidate.id,
                     candidate.title);
}

bool fails(const std::vector<Verdict>& verdicts, const std::vector<experiment::Failure>& failures,
           const report::Findings& findings, FailOn fail_on) {
  if (fail_on != FailOn::kNone && findings.lost > 0) return true;
  // What can be replayed is as good as confirmed.
  const bool confirmed =
      findings.deadlocked() ||
      std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.is_confirmed(); }) ||
      std::any_of(failures.begin(), failures.end(), [](const auto& failure) { return !failure.replay.empty(); });
  switch (fail_on) {
    case FailOn::kNone:
      return false;
    case FailOn::kConfirmed:
      return confirmed;
    case FailOn::kObserved:
      return confirmed || findings.counts()[Standing::kObserved] > 0;
    case FailOn::kAny:
      return confirmed || findings.counts().total() > 0;
  }
  return false;
}

}  // namespace

int check(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  ConfirmOptions options;
  options.add(app);
  Detection detection;
  experiment::ConfirmSettings settings;
  std::chrono::steady_clock::time_point end;
  std::string error;
  detection.accepts = [&](std::string& why) {
    if (!options.resolve(false, settings, why)) return false;
    const double budget = options.budget(kUsualBudget);
    end = deadline_after(budget);
    // Half of the time is for schedules.
    const double half = budget / 2;
    detection.timeout = settings.timeout > 0 ? std::min(settings.timeout, half) : half;
    return true;
  };
  const auto status = detect(verb, app, std::move(arguments), detection);
  if (status || !detection.findings) return status.value_or(kMisuse);
  report::Findings& findings = *detection.findings;
  const FailOn fail_on = detection.options.settings().fail_on;
  std::vector<ConfirmCandidate> candidates = experiment::candidates_of(findings);
  std::vector<ConfirmCandidate> silenced;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(silenced),
               [](const ConfirmCandidate& candidate) { return candidate.suppressed; });
  std::erase_if(candidates, [](const ConfirmCandidate& candidate) { return candidate.suppressed; });
  std::vector<Verdict> verdicts;
  Verdict explored;
  std::map<Harm, ConfirmCandidate> excuses;
  Classes classes;
  experiment::Reference reference;
  // A program with one thread has one schedule.
  if (findings.run.stats.threads > 1 || !candidates.empty() || detection.end.timed_out) {
    experiment::Stage stage(detection.program.path, detection.command, detection.options);
    stage.set_deadline(end);
    stage.set_capture(true);
    if (options.starts_anew()) stage.start_anew();
    use_kept_inputs(detection.kept, detection.command, stage);
    if (!experiment::learn_reference(stage, settings.timeout, reference, error)) {
      complain(error);
      return kMisuse;
    }
    KeptCorpus corpus(stage, settings.seed);
    for (size_t i = 0; i < candidates.size(); ++i) {
      settings.deadline = share_of(end, 2 * candidates.size() - i);
      verdicts.push_back(confirm_in_sight(stage, candidates[i], reference, settings, *corpus));
      keep_verdict(detection.kept, findings, verdicts.back(), detection.casebook, detection.run);
    }
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      if (!verdict.is_confirmed() || verdict.candidate.kind != experiment::CandidateKind::kRace) continue;
      const classify::Settings how{
          .jobs = settings.jobs, .seed = settings.seed, .deadline = share_of(end, verdicts.size() - i)};
      stage.set_deadline(how.deadline);
      const classify::Classification what = classify::classify({{&stage, &reference, ""}}, {verdict}, how);
      keep_class(detection.kept, findings, what, detection.casebook, detection.run);
      classes[verdict.candidate.id] = what;
    }
    stage.set_deadline(end);
    experiment::ConfirmSettings rest = settings;
    rest.deadline = silenced.empty() ? end : share_of(end, 1);
    if (!options.has_runs()) {
      rest.runs = kNoEnd;
      rest.more = 0;
      rest.patience = kPatience;
    }
    explored = confirm_in_sight(stage, ConfirmCandidate(), reference, rest, *corpus);
    std::set<Harm> unexplained;
    if (explored.is_confirmed()) unexplained.insert(explored.harm());
    for (const experiment::Failure& failure : reference.failures)
      if (!failure.replay.empty()) unexplained.insert(failure.consequence.harm);
    for (const Verdict& verdict : verdicts)
      for (const experiment::SeenConsequence& seen : verdict.consequences) unexplained.erase(seen.consequence.harm);
    excuses = done_by_silenced(std::move(unexplained), silenced, stage, reference, settings, *corpus, end);
  }
  report::sort_for_reading(findings.races);
  std::sort(verdicts.begin(), verdicts.end(),
            [&](const Verdict& a, const Verdict& b) { return comes_first(a, b, classes); });
  std::string text;
  for (const report::Hazard& hazard : findings.hazards)
    if (hazard.kind == report::HazardKind::kDeadlock) text += text_of_hazard(hazard);
  for (const Verdict& verdict : verdicts) {
    text += experiment::text_of(verdict, detection.command);
    if (const auto known = classes.find(verdict.candidate.id); known != classes.end())
      text += classify::text_of(known->second, detection.command);
  }
  // What went wrong without a race that was known before.
  const bool harmed = std::any_of(verdicts.begin(), verdicts.end(),
                                  [&](const Verdict& v) { return v.is_confirmed() && v.harm() == explored.harm(); });
  if (explored.is_confirmed() && !harmed) {
    text += experiment::text_of(explored, detection.command);
    if (const auto excuse = excuses.find(explored.harm()); excuse != excuses.end()) {
      text += words_of_excuse(excuse->second);
    } else {
      verdicts.push_back(explored);
    }
  }
  std::vector<Verdict> all = verdicts;
  all.push_back(explored);
  std::vector<experiment::Failure> failures = reference.failures;
  if (auto failure = failure_of(detection.end, reference)) failures.insert(failures.begin(), *failure);
  text += experiment::text_of_failures(failures, all, detection.command);
  std::erase_if(failures, [&](const experiment::Failure& failure) {
    const auto excuse = excuses.find(failure.consequence.harm);
    if (failure.replay.empty() || excuse == excuses.end()) return false;
    if (!explored.is_confirmed() || explored.harm() != excuse->first) text += words_of_excuse(excuse->second);
    return true;
  });
  text += experiment::text_of_usual(reference);
  text +=
      summary(verdicts, explored, findings.run, accepted_words(detection.accepted, findings.accepted_hazards.size()));
  bool written = true;
  if (detection.output.empty()) {
    std::fputs(text.c_str(), stderr);
  } else {
    written = write_file(detection.output, text);
  }
  written =
      write_files(detection.files, findings, {.run = &detection.kept, .casebook = &detection.casebook}) && written;
  if (detection.race_status != 0 && fails(verdicts, failures, findings, fail_on)) return detection.race_status;
  if (detection.end.signal != 0) experiment::die_by(detection.end.signal);
  return detection.end.exit != 0 || written ? detection.end.exit : kMisuse;
}

}  // namespace norn::cli
