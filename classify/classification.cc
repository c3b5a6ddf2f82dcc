#include "classify/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "casebook/runs.h"
#include "classify/attempts.h"
#include "classify/comparison.h"
#include "classify/judgement.h"
#include "schedule/order.h"

namespace norn::classify {
namespace {

using experiment::Harm;
using experiment::Reference;
using experiment::Verdict;
using schedule::Enforced;
using schedule::Order;
using schedule::StrategyKind;

// A schedule in which the two meet: what is before the race.
struct Primary {
  Plan plan;
  uint32_t meeting = 1;

  [[nodiscard]] Plan with(bool flipped, uint32_t later, bool holds = false) const {
    Plan ordered = plan;
    ordered.order = Order{meeting, flipped, holds, later}.number();
    return ordered;
  }
};

bool did(const StagedRun& run, uint32_t what) { return (run.enforced.what & what) != 0; }

// The two met, as in the primary, and both went; or what the first one did was the end.
bool is_enforced(const StagedRun& run) {
  return did(run, Enforced::kMet | Enforced::kEarly) && (did(run, Enforced::kBothDone) || run.failed());
}

bool has_same_primary(const OrderedPair& a, const OrderedPair& b) {
  const Plan &one = a.given.plan, &other = b.given.plan;
  return one.strategy == other.strategy && one.seed == other.seed &&
         Order::of(one.order).meeting == Order::of(other.order).meeting;
}

// Classifies with one input.
class OneInput {
 public:
  OneInput(const Input& input, const Verdict& verdict, const Settings& settings)
      : attempts_(*input.stage, settings.jobs), reference_(*input.reference), verdict_(verdict), settings_(settings) {
    result_.race = verdict.candidate.id;
  }

  Classification classify() {
    find_primaries();
    if (primaries_.empty()) {
      judge_unmet();
      return result_;
    }
    // What hangs takes long: the first primary may be enough.
    const std::vector<Primary> all = primaries_;
    primaries_.resize(1);
    run_pairs();
    Conclusion conclusion = conclude();
    if (conclusion == Conclusion::kShown && result_.kind == Class::kSpecViolated) return result_;
    primaries_ = all;
    run_pairs();
    conclusion = conclude();
    if (conclusion == Conclusion::kNotAgain) {
      // Runs at the same time share files and ports.
      attempts_.be_alone();
      run_pairs();
      conclusion = conclude();
    }
    if (pairs_.empty() || conclusion == Conclusion::kShown) return result_;
    if (conclusion == Conclusion::kNotAgain) {
      result_.reason = "one order did harm or wrote something else, and did not when the same schedule was run again";
    } else if (is_late()) {
      result_.reason = "there was no time to run both orders often enough";
    } else if (waiting_ == meetings_) {
      result_.kind = Class::kSingleOrdering;
      result_.reason =
          "the read is a loop's that waits for the write: read first, it is read again until it is written";
    } else if (lost_ > meetings_) {
      result_.reason = fmt::format("{} of {} pairs of runs did not do again what brought the two together", lost_,
                                   lost_ + meetings_);
    } else {
      result_.kind = Class::kHarmless;
      const auto well = std::count_if(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(meetings_),
                                      [&](const OrderedPair& pair) { return !pair.given.run.failed(); });
      result_.k = static_cast<unsigned>(well) - std::min(static_cast<unsigned>(well), static_cast<unsigned>(waiting_));
      // Whatever fails in each schedule hides what the race does.
      if (result_.k == 0) {
        result_.kind = Class::kNone;
        result_.reason = "the program fails in both orders whatever the schedule";
      }
    }
    return result_;
  }

 private:
  [[nodiscard]] bool is_late() const { return std::chrono::steady_clock::now() >= settings_.deadline; }

  [[nodiscard]] Plan race_directed(uint32_t seed) const {
    Plan plan;
    plan.strategy = StrategyKind::kRaceDirected;
    plan.seed = seed;
    plan.sites = verdict_.candidate.sites;
    plan.memory = true;
    plan.program = attempts_.stage().program_hash();
    return plan;
  }
  std::vector<Plan> next_directed(unsigned count) {
    std::vector<Plan> plans;
    plans.reserve(count);
    for (unsigned i = 0; i < count; ++i) plans.push_back(race_directed(settings_.seed + directed_++));
    return plans;
  }

  // First of runs that go straight for the race; then what the confirmation found by other ways.
  void find_primaries() {
    constexpr unsigned kAtOnce = 4, kMost = 24;
    while (primaries_.size() < settings_.primaries && directed_ < kMost && !is_late()) {
      const std::vector<Plan> plans = next_directed(kAtOnce);
      const std::vector<StagedRun> runs = attempts_.run(plans);
      for (size_t i = 0; i < runs.size() && primaries_.size() < settings_.primaries; ++i) {
        if (runs[i].wrote_files) attempts_.be_alone();
        if (runs[i].meetings == 0) unmet_.push_back(runs[i]);
        if (runs[i].cut || runs[i].meetings == 0) continue;
        // Half of them at a later meeting, if there is one.
        constexpr uint32_t kMostMeetings = 64;
        const uint32_t most = std::min(runs[i].meetings, kMostMeetings);
        const uint32_t meeting = primaries_.size() % 2 == 0 ? 1 : 1 + plans[i].seed * 7 % most;
        primaries_.push_back({plans[i], meeting});
      }
    }
    if (!primaries_.empty()) add_quiet_primaries();
    for (const experiment::SeenConsequence& seen : verdict_.consequences) {
      if (!verdict_.is_confirmed()) break;  // of other runs
      std::string error;
      auto token = schedule::decode(seen.replay, error);
      if (!token || primaries_.size() >= settings_.primaries) continue;
      token->memory = true;
      primaries_.push_back({*token, 1});
    }
  }

  // A schedule that goes straight for the race holds the first of the two until all others have gone as far as they
  // can, and nobody is left to come between afterwards. So half of the primaries are of schedules that hold nobody, if
  // the two meet in some.
  void add_quiet_primaries() {
    constexpr unsigned kTried = 8;
    std::vector<Plan> plans;
    for (uint32_t i = 0; i < kTried; ++i) {
      plans.push_back(race_directed(settings_.seed + i));
      plans.back().strategy = StrategyKind::kPos;
    }
    const std::vector<StagedRun> runs = attempts_.run(plans);
    size_t place = (primaries_.size() + 1) / 2;
    for (size_t i = 0; i < runs.size() && place < settings_.primaries; ++i) {
      if (runs[i].cut || runs[i].meetings == 0) continue;
      if (place == primaries_.size()) primaries_.emplace_back();
      primaries_[place++] = {plans[i], 1};
    }
  }

  // The two never stood before their statements at once, in runs that go straight for them.
  void judge_unmet() {
    constexpr unsigned kQuiet = 8, kEnough = 8;
    // Schedules that hold nobody back show whether the two are executed at all.
    std::vector<Plan> plans = next_directed(kQuiet);
    for (Plan& plan : plans) plan.strategy = StrategyKind::kPos;
    plans[0].strategy = StrategyKind::kRoundRobin;
    unsigned executed = 0, held = 0, failed = 0, runs = 0;
    const auto look_at = [&](const StagedRun& run) {
      if (run.cut || !run.controlled) return;
      ++runs;
      failed += harm_of(run, reference_).harm != Harm::kNone ? 1 : 0;
      executed += run.sequences != 0 ? 1 : 0;
    };
    for (const StagedRun& run : unmet_) {
      look_at(run);
      held += run.let_go != 0 ? 1 : 0;
    }
    for (const StagedRun& run : attempts_.run(plans)) look_at(run);
    const unsigned all = runs + verdict_.runs;
    if (verdict_.is_confirmed()) {
      result_.reason = "the two met when they were confirmed, and not again";
    } else if (verdict_.end == experiment::SearchEnd::kNoTime || is_late()) {
      result_.reason = fmt::format("there was no time: the two did not meet in {} schedules", all);
    } else if (executed == 0) {
      result_.reason = fmt::format("in {} schedules no two threads executed both statements on the same bytes", all);
    } else if (failed > 0) {
      result_.reason = fmt::format("{} of {} schedules failed before the two could meet", failed, runs);
    } else if (held < kEnough) {
      result_.reason =
          fmt::format("the two did not meet in {} schedules, and nothing shows what keeps them apart", all);
    } else {
      result_.kind = Class::kSingleOrdering;
      result_.paths = 1;
      result_.reason = fmt::format(
          "in {} schedules a thread was stopped before its access, and the other did not come to its own until it went "
          "on",
          held);
    }
  }

  // Both orders of each primary, with each of the later schedules.
  void run_pairs() {
    pairs_.clear();
    std::vector<Plan> plans;
    std::vector<bool> random;
    const uint32_t schedules = Order::kFirstRandom + settings_.schedules;
    // Without chance first.
    for (uint32_t later = 0; later < schedules; ++later)
      for (const Primary& primary : primaries_) {
        plans.push_back(primary.with(false, later));
        plans.push_back(primary.with(true, later));
        random.push_back(later >= Order::kFirstRandom);
      }
    lost_ = add_pairs(plans, random);
    result_.reason.clear();
    if (pairs_.empty())
      result_.reason = lost_ > 0 ? "the schedules that brought the two together do not replay" : "there was no time";
    result_.paths = pairs_.empty() ? 0 : 1;
    meetings_ = pairs_.size();
    hold_writers();
    // Who is held before the write that a loop waits for may be in the way of others than the loop.
    if (waiting_ < meetings_) add_early_pairs();
  }

  // Of two plans each, the given and the flipped order. How many did not do what was asked for.
  unsigned add_pairs(const std::vector<Plan>& plans, const std::vector<bool>& random) {
    const std::vector<StagedRun> runs = attempts_.run(plans);
    unsigned lost = 0;
    for (size_t i = 0; i < random.size(); ++i) {
      const StagedRun &given = runs[2 * i], &flipped = runs[2 * i + 1];
      if (given.cut || flipped.cut) continue;
      if (is_enforced(given) && is_enforced(flipped)) {
        pairs_.push_back({{plans[2 * i], given}, {plans[2 * i + 1], flipped}, random[i]});
      } else {
        ++lost;
      }
    }
    return lost;
  }

  // Where both stand, the second one may have read already what the first one is about to change. So the first one also
  // goes when it comes there, before the second one does.
  void add_early_pairs() {
    std::vector<Plan> plans;
    std::vector<bool> random;
    for (const OrderedPair& pair : pairs_) {
      Order early = Order::of(pair.given.plan.order);
      early.from = pair.given.run.enforced.arrival;
      plans.push_back(pair.given.plan);
      plans.back().order = early.number();
      // Beside the order in which the second one goes first.
      plans.push_back(did(pair.given.run, Enforced::kGivenCameFirst) ? pair.flipped.plan : pair.given.plan);
      random.push_back(pair.is_random);
    }
    [[maybe_unused]] const unsigned others = add_pairs(plans, random);  // the second one may not come any more
  }

  // A read that waits for the write in a loop reads in vain if it comes first: that order does not lead on. Of each
  // primary one pair tells.
  void hold_writers() {
    std::vector<Plan> plans;
    std::vector<const OrderedPair*> asked;
    for (const OrderedPair& pair : pairs_) {
      const bool first_reads = did(pair.given.run, Enforced::kFirstReads);
      const bool second_reads = did(pair.given.run, Enforced::kSecondReads);
      const bool is_known = std::any_of(asked.begin(), asked.end(),
                                        [&](const OrderedPair* other) { return has_same_primary(*other, pair); });
      if (first_reads == second_reads || is_known) continue;
      Order order = Order::of(pair.given.plan.order);
      order.flipped = second_reads;
      order.holds = true;
      plans.push_back(pair.given.plan);
      plans.back().order = order.number();
      asked.push_back(&pair);
    }
    const std::vector<StagedRun> runs = attempts_.run(plans);
    waiting_ = 0;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (!did(runs[i], Enforced::kWaits)) continue;
      waiting_ += static_cast<size_t>(std::count_if(
          pairs_.begin(), pairs_.end(), [&](const OrderedPair& pair) { return has_same_primary(*asked[i], pair); }));
    }
  }

  enum class Conclusion { kNothing, kShown, kNotAgain };

  // Something that shows again when nobody else runs.
  Conclusion conclude() {
    Conclusion conclusion = Conclusion::kNothing;
    for (const Suspicion& suspicion : suspicions_in(pairs_, reference_)) {
      const Conclusion one = suspicion.harm != Harm::kNone ? conclude_harm(suspicion) : conclude_difference(suspicion);
      if (one == Conclusion::kShown) return one;
      if (one == Conclusion::kNotAgain) conclusion = one;
      if (is_late()) break;
    }
    return conclusion;
  }

  Conclusion conclude_harm(const Suspicion& suspicion) {
    const StagedRun run = attempts_.alone(suspicion.shows->plan);
    const experiment::Consequence harm = harm_of(run, reference_);
    if (run.cut || run.hash != suspicion.shows->run.hash || harm.harm != suspicion.harm) return Conclusion::kNotAgain;
    result_.kind = Class::kSpecViolated;
    result_.consequence = experiment::name_of(harm.harm);
    result_.detail = harm.detail;
    keep(suspicion, run);
    return Conclusion::kShown;
  }

  Conclusion conclude_difference(const Suspicion& suspicion) {
    const StagedRun other = attempts_.alone(suspicion.other->plan), again = attempts_.alone(suspicion.other->plan);
    const StagedRun shows = attempts_.alone(suspicion.shows->plan);
    const bool same = shows.hash == suspicion.shows->run.hash && other.hash == suspicion.other->run.hash;
    if (shows.cut || other.cut || again.cut || shows.failed() || other.failed() || !same) return Conclusion::kNotAgain;
    Visible now = visible_in(shows), before = visible_in(other);
    leave_out_noise(before, visible_in(again), now);
    const auto found = difference(before, now);
    if (!found) return Conclusion::kNothing;
    result_.kind = Class::kOutputDiffers;
    result_.consequence = found->is_status ? "exit-status" : "output";
    result_.detail = found->words;
    keep(suspicion, shows);
    return Conclusion::kShown;
  }

  void keep(const Suspicion& suspicion, const StagedRun& run) {
    result_.evidence = attempts_.stage().token_of(suspicion.shows->plan, run);
    casebook::keep_schedule(result_.evidence, attempts_.stage().log_of(0), run.findings);
    if (harm_of(suspicion.other->run, reference_).harm == Harm::kNone)
      result_.other = attempts_.stage().token_of(suspicion.other->plan, suspicion.other->run);
    result_.k = static_cast<unsigned>(meetings_);
  }

  Attempts attempts_;
  const Reference& reference_;
  const Verdict& verdict_;
  const Settings& settings_;
  unsigned directed_ = 0;
  std::vector<StagedRun> unmet_;  // runs that went straight for the race
  std::vector<Primary> primaries_;
  std::vector<OrderedPair> pairs_;
  size_t meetings_ = 0;  // pairs in which both stood before their accesses
  size_t waiting_ = 0;   // of these, those whose read waits for the write
  size_t lost_ = 0;      // pairs that were asked for, and did not do what they were asked for
  Classification result_;
};

}  // namespace

std::string_view name_of(Class kind) {
  constexpr std::array<std::string_view, 5> kNames = {"spec-violated", "output-differs", "k-witness-harmless",
                                                      "single-ordering", ""};
  return kNames[static_cast<size_t>(kind)];
}

Classification classify(const std::vector<Input>& inputs, const std::vector<Verdict>& verdicts,
                        const Settings& settings) {
  Classification best;
  unsigned k = 0, paths = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Classification one = OneInput(inputs[i], verdicts[i], settings).classify();
    one.input = i;
    k += one.k;
    paths += one.paths;
    if (i == 0 || one.kind < best.kind) best = std::move(one);
    if (best.kind == Class::kSpecViolated) break;
  }
  best.k = k;
  best.paths = paths;
  return best;
}

}  // namespace norn::classify
