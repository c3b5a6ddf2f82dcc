#include "experiment/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "experiment/search/known_states.h"
#include "report/race.h"
#include "schedule/log_file.h"
#include "schedule/strategies.h"

namespace norn::experiment {
namespace {

using schedule::GuidedBy;
using schedule::Outcome;
using schedule::StrategyKind;

// One of those that take turns.
struct Member {
  StrategyKind strategy;
  bool accesses = false;  // threads are switched at each access
  uint32_t depth = 3;
};
// With a candidate all go straight for it. If that does not lead there, the others come there by another way, or by
// chance.
constexpr unsigned kStraight = 10;
constexpr Member kForCandidate[] = {{StrategyKind::kRaceDirected}, {StrategyKind::kPos},
                                    {StrategyKind::kRaceDirected}, {StrategyKind::kReadsFrom},
                                    {StrategyKind::kRaceDirected}, {StrategyKind::kPct}};
// Without one any access may be the one that matters; but where only synchronization does, the others are in the way.
constexpr Member kForAnything[] = {
    {StrategyKind::kReadsFrom, true}, {StrategyKind::kPos, true},        {StrategyKind::kReadsFrom, false},
    {StrategyKind::kPct, true},       {StrategyKind::kReadsFrom, true},  {StrategyKind::kPos, false},
    {StrategyKind::kReadsFrom, true}, {StrategyKind::kPct, false, 2},    {StrategyKind::kReadsFrom, true},
    {StrategyKind::kRandom, true},    {StrategyKind::kReadsFrom, false}, {StrategyKind::kPct, true, 5},
    {StrategyKind::kWindow, true},    {StrategyKind::kSelected, true},   {StrategyKind::kWindow, false},
    {StrategyKind::kSelected, false},
};

// Bugs of little depth are met from the beginning. Then every other run begins where one before it has come, and when
// that has shown nothing either, three of four.
constexpr unsigned kShallow = 2 * std::size(kForAnything), kDeep = 8 * std::size(kForAnything);
bool goes_on(unsigned number) {
  return number >= kShallow && (number % 2 == 1 || (number >= kDeep && number % 4 == 2));
}

// Of these runs one in four stops at each access; later one in eight, since what is left then is what atomics and locks
// do in many steps.
bool stops_at_accesses(unsigned number) { return number % (number < kDeep ? 4 : 8) == 1; }

Member member_for(const Verdict& so_far, const ConfirmSettings& settings, unsigned number) {
  const bool explores = so_far.candidate.sites.empty();
  if (settings.strategy && guided_by(*settings.strategy) == GuidedBy::kStates)
    return {*settings.strategy, explores && stops_at_accesses(number)};
  if (settings.strategy) return {*settings.strategy, explores, settings.depth};
  if (explores && goes_on(number)) return {StrategyKind::kFrontier, stops_at_accesses(number)};
  if (explores) return kForAnything[(number < kShallow ? number : number / 2) % std::size(kForAnything)];
  if (number < kStraight || so_far.is_confirmed()) return kForCandidate[0];
  return kForCandidate[number % std::size(kForCandidate)];
}

// Runs at the same time share files and ports, and one may fail because of another. So harm of a kind that was not
// seen before counts only if the same schedule shows it again while nobody else runs. If it does not, all runs are made
// one at a time from then on.
class Floor {
 public:
  // `alone`: nobody else ran.
  StagedRun run(const Stage& stage, const Plan& plan, unsigned worker, bool& alone) {
    std::unique_lock gate(gate_);
    alone = alone_;
    if (alone) {
      const std::unique_lock all(running_);
      return stage.run(plan, worker);
    }
    const std::shared_lock one(running_);
    gate.unlock();
    return stage.run(plan, worker);
  }
  // The run itself, which was made beside others, or what the same schedule did alone.
  StagedRun proved(StagedRun run, const Stage& stage, const Plan& plan, unsigned worker, const Reference& reference) {
    const Harm harm = consequence_of(run, reference).harm;
    const std::lock_guard gate(gate_);
    if (harm == Harm::kNone || run.stands_still() || run.cut || proved_.contains(harm)) return run;
    const std::unique_lock all(running_);
    StagedRun again = stage.run(plan, worker);
    if (again.cut) return again;
    if (consequence_of(again, reference).harm == harm) {
      proved_.insert(harm);
    } else {
      alone_ = true;
    }
    return again;
  }
  [[nodiscard]] bool was_disturbed() const { return alone_; }

 private:
  std::mutex gate_;  // who wants to be alone keeps it, so that nobody else begins
  std::shared_mutex running_;
  std::set<Harm> proved_;  // under the gate
  std::atomic<bool> alone_ = false;
};

// What the runs of one search showed, added up. Any number of threads.
class Tally {
 public:
  Tally(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
        const ConfirmSettings& settings, Corpus& corpus)
      : stage_(stage),
        reference_(reference),
        settings_(settings),
        corpus_(corpus),
        states_(settings.seed + settings.share.index) {
    verdict_.candidate = candidate;
  }

  // The next run's plan; nothing if there is none.
  std::optional<Plan> next() {
    const std::lock_guard lock(mutex_);
    const unsigned most = settings_.runs + (verdict_.is_confirmed() ? 0 : settings_.more);
    const unsigned number = begun_ * settings_.share.count + settings_.share.index;
    if (number >= most) return std::nullopt;
    if (settings_.only_first && verdict_.is_confirmed()) return verdict_.end = SearchEnd::kFound, std::nullopt;
    if (settings_.patience != 0 && verdict_.since_new >= settings_.patience)
      return verdict_.end = SearchEnd::kNothingNew, std::nullopt;
    if (std::chrono::steady_clock::now() >= settings_.deadline) return verdict_.end = SearchEnd::kNoTime, std::nullopt;
    const Member member = member_for(verdict_, settings_, number);
    Plan plan;
    plan.strategy = member.strategy;
    plan.seed = settings_.seed + number;
    ++begun_;
    plan.depth = member.depth;
    plan.accesses = member.accesses;
    plan.sites = verdict_.candidate.sites;
    if (guided_by(plan.strategy) == GuidedBy::kPairs) plan.guide = corpus_.next();
    if (guided_by(plan.strategy) == GuidedBy::kStates) plan.guide = states_.next(plan.accesses);
    plan.program = stage_.program_hash();
    return plan;
  }

  // pct draws its change points from the length of such a run: one that nobody preempts on purpose, stopping at the
  // same points, always the same.
  void add_length(Plan& plan, unsigned worker, Floor& floor) {
    if (guided_by(plan.strategy) != GuidedBy::kLength) return;
    std::atomic<uint32_t>& length = lengths_[plan.accesses ? 1 : 0];
    if (length == 0) {
      bool alone = false;
      Plan probe = plan;
      probe.strategy = StrategyKind::kPos;
      probe.seed = settings_.seed;
      length =
          static_cast<uint32_t>(std::clamp<uint64_t>(floor.run(stage_, probe, worker, alone).decisions, 1, 0xffffffff));
    }
    plan.length = length;
  }

  void add(const StagedRun& run, const Plan& plan, const std::string& log) {
    const bool is_race = verdict_.candidate.kind == CandidateKind::kRace && !verdict_.candidate.sites.empty();
    // Of a run that had no time to end it is not known how it would have ended; but those that met there have met.
    const Consequence consequence = run.cut ? Consequence() : consequence_of(run, reference_);
    const bool confirmed = confirms(run, verdict_.candidate, consequence) && (is_race || !run.cut);
    const std::lock_guard lock(mutex_);
    if (run.cut) verdict_.end = SearchEnd::kNoTime;
    if (run.cut && !confirmed) return;
    ++verdict_.runs;
    events_ += run.decisions;
    preemptions_ += run.preemptions;
    if (guided_by(plan.strategy) == GuidedBy::kLength) verdict_.length = plan.length;
    verdict_.confirmed += confirmed ? 1 : 0;
    verdict_.taken_away += run.taken_away != 0 ? 1 : 0;
    verdict_.came_between += came_between(run) ? 1 : 0;
    if (confirmed) {
      verdict_.first_then_second |= (run.orders & Outcome::kFirstThenSecond) != 0;
      verdict_.second_then_first |= (run.orders & Outcome::kSecondThenFirst) != 0;
    }
    const bool stuck = consequence.harm == Harm::kDeadlock || consequence.harm == Harm::kHang;
    verdict_.lost += stuck && !confirmed ? 1 : 0;
    // Of a race, only if it led there.
    if (run.stands_still() && verdict_.deadlock.empty() && (confirmed || !is_race))
      verdict_.deadlock = deadlock_of(run);
    SeenConsequence& seen = (confirmed ? of_confirmed_ : of_others_)[consequence.harm];
    const bool is_first = seen.count++ == 0;
    const bool constrained = guided_by(plan.strategy) == GuidedBy::kPairs;
    const bool is_new =
        corpus_.add(constrained ? plan.guide : "", run.pairs) != 0 || (is_first && consequence.harm != Harm::kNone);
    // What others come by is not what it would go on from.
    if (guided_by(plan.strategy) == GuidedBy::kStates)
      states_.add(run.states, schedule::read_log(log, run.states.size()), plan.accesses);
    verdict_.since_new = is_new ? 0 : verdict_.since_new + 1;
    if (!is_first) return;
    seen.consequence = consequence;
    seen.strategy = plan.strategy;
    seen.replay = stage_.token_of(plan, run);
    if (is_race) std::copy(std::begin(run.met), std::end(run.met), seen.met);
    casebook::keep_schedule(seen.replay, log, run.findings);
  }

  void report(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    progress(verdict_);
  }

  Verdict finish() {
    for (auto& [harm, seen] : verdict_.is_confirmed() ? of_confirmed_ : of_others_)
      verdict_.consequences.push_back(seen);
    const double runs = std::max(verdict_.runs, 1u);
    verdict_.mean_events = static_cast<double>(events_) / runs;
    verdict_.mean_preemptions = static_cast<double>(preemptions_) / runs;
    verdict_.pairs = corpus_.pairs();
    verdict_.strategy = verdict_.consequences.empty() ? settings_.strategy.value_or(StrategyKind::kRaceDirected)
                                                      : verdict_.consequences[0].strategy;
    return std::move(verdict_);
  }

 private:
  const Stage& stage_;
  const Reference& reference_;
  const ConfirmSettings& settings_;
  std::mutex mutex_;
  Corpus& corpus_;
  KnownStates states_;
  Verdict verdict_;
  unsigned begun_ = 0;
  std::atomic<uint32_t> lengths_[2] = {};  // without and with switches at accesses; 0: not known yet
  uint64_t events_ = 0;
  uint64_t preemptions_ = 0;
  std::map<Harm, SeenConsequence> of_confirmed_;
  std::map<Harm, SeenConsequence> of_others_;
};

}  // namespace

report::Confirmation Verdict::facts() const {
  report::Confirmation facts{.runs = runs, .confirmed = confirmed, .strategy = norn::text_of(name_of(strategy))};
  if (!is_confirmed()) return facts;
  facts.token = norn::text_of(consequences[0].replay);
  for (int i = 0; i < 2; ++i) {
    facts.met[i] = met_access(consequences[0].met[i]);
    facts.has_met |= facts.met[i].values.known();
  }
  return facts;
}

report::MetAccess met_access(const schedule::MetAccess& met) {
  const auto type = met.type < report::kValueTypes ? static_cast<report::ValueType>(met.type) : report::ValueType{};
  return {.site = met.site,
          .size = met.size,
          .values = {.has_value = met.has_value != 0,
                     .has_old_value = met.has_old_value != 0,
                     .type = type,
                     .value = met.value,
                     .old_value = met.old_value}};
}

bool came_between(const StagedRun& run) { return (run.orders & Outcome::kSecondThenFirst) != 0; }

bool confirms(const StagedRun& run, const ConfirmCandidate& candidate, const Consequence& consequence) {
  if (candidate.sites.empty()) return consequence.harm != Harm::kNone;
  if (candidate.kind == CandidateKind::kDeadlock) return run.deadlocked != 0;
  if (candidate.kind == CandidateKind::kAtomicity) return came_between(run) && consequence.harm != Harm::kNone;
  return run.meetings > 0;
}

Verdict confirm(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
                const ConfirmSettings& settings, Corpus& corpus, const Progress& progress) {
  Tally tally(stage, candidate, reference, settings, corpus);
  const unsigned jobs = std::min(settings.jobs, settings.runs);
  Floor floor;
  const auto work = [&](unsigned worker) {
    while (std::optional<Plan> plan = tally.next()) {
      tally.add_length(*plan, worker, floor);
      bool alone = false;
      StagedRun run = floor.run(stage, *plan, worker, alone);
      if (jobs > 1 && !alone) run = floor.proved(std::move(run), stage, *plan, worker, reference);
      tally.add(run, *plan, stage.log_of(worker));
      if (progress) tally.report(progress);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned worker = 1; worker < jobs; ++worker) workers.emplace_back(work, worker);
  work(0);
  for (std::thread& worker : workers) worker.join();
  Verdict verdict = tally.finish();
  verdict.disturbed = floor.was_disturbed();
  return verdict;
}

}  // namespace norn::experiment
