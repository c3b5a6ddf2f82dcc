#include "experiment/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "report/race.h"

namespace norn::experiment {
namespace {

using schedule::Outcome;
using schedule::StrategyKind;

Plan plan_for(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
              const ConfirmSettings& settings, unsigned number) {
  Plan plan;
  plan.strategy = settings.strategy;
  plan.seed = settings.seed + number;
  plan.depth = settings.depth;
  plan.length = static_cast<uint32_t>(std::clamp<uint64_t>(reference.decisions, 1, 0xffffffff));
  // Without a candidate any access may be the one that matters.
  plan.accesses = candidate.sites.empty();
  plan.sites = candidate.sites;
  plan.program = stage.program_hash();
  return plan;
}

struct Tally {
  std::mutex mutex;
  Verdict verdict;
  uint64_t events = 0;
  std::map<Harm, SeenConsequence> of_confirmed;
  std::map<Harm, SeenConsequence> of_others;

  void add(const StagedRun& run, const Plan& plan, const Reference& reference, const std::string& log) {
    const Consequence consequence = consequence_of(run, reference);
    const bool confirmed = confirms(run, verdict.candidate, consequence);
    Plan token = plan;
    token.hash = static_cast<uint32_t>(run.hash);
    token.decisions = run.decisions;
    const std::lock_guard lock(mutex);
    ++verdict.runs;
    events += run.decisions;
    verdict.confirmed += confirmed ? 1 : 0;
    verdict.taken_away += run.taken_away != 0 ? 1 : 0;
    verdict.came_between += came_between(run) ? 1 : 0;
    if (confirmed) {
      verdict.first_then_second |= (run.orders & Outcome::kFirstThenSecond) != 0;
      verdict.second_then_first |= (run.orders & Outcome::kSecondThenFirst) != 0;
    }
    const bool stuck = consequence.harm == Harm::kDeadlock || consequence.harm == Harm::kHang;
    const bool is_race = verdict.candidate.kind == CandidateKind::kRace && !verdict.candidate.sites.empty();
    verdict.lost += stuck && !confirmed ? 1 : 0;
    // Of a race, only if it led there.
    if (run.deadlocked != 0 && verdict.deadlock.empty() && (confirmed || !is_race)) verdict.deadlock = deadlock_of(run);
    SeenConsequence& seen = (confirmed ? of_confirmed : of_others)[consequence.harm];
    if (seen.count++ != 0) return;
    seen.consequence = consequence;
    seen.replay = encode(token);
    casebook::keep_schedule(seen.replay, log);
  }

  void tell(const Progress& progress) {
    const std::lock_guard lock(mutex);
    progress(verdict.runs);
  }

  Verdict finish() {
    for (auto& [harm, seen] : verdict.is_confirmed() ? of_confirmed : of_others) verdict.consequences.push_back(seen);
    verdict.mean_events = verdict.runs == 0 ? 0 : static_cast<double>(events) / verdict.runs;
    return std::move(verdict);
  }
};

}  // namespace

report::Confirmation Verdict::facts() const {
  return {.runs = runs,
          .confirmed = confirmed,
          .token = is_confirmed() ? norn::text_of(consequences[0].replay) : Text(),
          .strategy = norn::text_of(name_of(strategy))};
}

bool came_between(const StagedRun& run) { return (run.orders & Outcome::kSecondThenFirst) != 0; }

bool confirms(const StagedRun& run, const ConfirmCandidate& candidate, const Consequence& consequence) {
  if (candidate.sites.empty()) return consequence.harm != Harm::kNone;
  if (candidate.kind == CandidateKind::kDeadlock) return run.deadlocked != 0;
  if (candidate.kind == CandidateKind::kAtomicity) return came_between(run) && consequence.harm != Harm::kNone;
  return run.meetings > 0;
}

bool find_reference(Stage& stage, const ConfirmSettings& settings, Reference& reference, std::string& error) {
  constexpr double kPatience = 20;
  constexpr double kMostSleep = 2;
  stage.set_timeout(settings.timeout > 0 ? settings.timeout : kPatience, settings.timeout > 0);
  Plan quiet;
  quiet.strategy = StrategyKind::kRoundRobin;
  const StagedRun controlled = stage.run(quiet, 0);
  if (!controlled.started) {
    error = fmt::format("{} cannot be started: {}", stage.command()[0], std::strerror(controlled.start_error));
    return false;
  }
  if (!controlled.controlled) {
    error = fmt::format("{} cannot be controlled: {}", stage.command()[0],
                        controlled.errors.empty() ? "it was not built with this norn's norn-cc/norn-c++; rebuild it"
                                                  : controlled.errors.substr(0, controlled.errors.find('\n')));
    return false;
  }
  reference.decisions = std::max<uint64_t>(controlled.decisions, 1);
  const auto ended = [](const StagedRun& run) { return run.signal == 0 && !run.timed_out && run.deadlocked == 0; };
  reference.exit = ended(controlled) ? controlled.exit : 0;
  // What it writes can be compared only if it writes the same when nobody interferes. Who sleeps does so then.
  if (controlled.slept > kMostSleep) return true;
  // A hundred times what it took under control, which is slower: it stands still.
  constexpr double kMostPatience = 10, kLittlePatience = 2, kTimes = 100;
  const double patience =
      ended(controlled) ? std::clamp(kTimes * controlled.seconds, kLittlePatience, kMostPatience) : kLittlePatience;
  stage.set_timeout(std::min(stage.timeout(), patience), true);
  const StagedRun first = stage.run_plain(0);
  const StagedRun second = ended(first) ? stage.run_plain(0) : first;
  // Any of the three may have met the bug: the norm is success if one of them had it.
  for (const StagedRun* run : {&first, &second}) {
    if (ended(*run) && run->exit == 0) reference.exit = 0;
  }
  const auto is_norm = [&](const StagedRun& run) { return ended(run) && run.exit == reference.exit; };
  if (is_norm(first) && is_norm(second) && first.output == second.output) {
    reference.outputs.push_back(first.output);
    // It may show the time, which is another one under control.
    if (is_norm(controlled)) reference.outputs.push_back(controlled.output);
  }
  const double seconds = std::max(controlled.seconds, ended(second) ? std::max(first.seconds, second.seconds) : 0);
  if (settings.timeout > 0) {
    stage.set_timeout(settings.timeout, true);
  } else {
    stage.set_timeout(std::max(kPatience, 20 * seconds), false);
  }
  return true;
}

Verdict confirm(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
                const ConfirmSettings& settings, const Progress& progress) {
  Tally tally;
  tally.verdict.candidate = candidate;
  tally.verdict.strategy = settings.strategy;
  std::atomic<unsigned> next{0};
  const auto work = [&](unsigned worker) {
    for (unsigned number = next++; number < settings.runs; number = next++) {
      const Plan plan = plan_for(stage, candidate, reference, settings, number);
      tally.add(stage.run(plan, worker), plan, reference, stage.log_of(worker));
      if (progress) tally.tell(progress);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned worker = 1; worker < std::min(settings.jobs, settings.runs); ++worker)
    workers.emplace_back(work, worker);
  work(0);
  for (std::thread& worker : workers) worker.join();
  return tally.finish();
}

}  // namespace norn::experiment
