#include "experiment/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "casebook/runs.h"

namespace norn::experiment {
namespace {

using schedule::StrategyKind;

constexpr double kPatience = 20;  // seconds
constexpr double kMostSleep = 2;  // of the virtual clock: who sleeps longer does so really when nobody controls it
constexpr unsigned kMostForSuccess = 5;  // runs more, to see one that ends with 0

Failure failure_of(const StagedRun& run, const Consequence& consequence, const Stage& stage, const Plan& plan) {
  Failure failure{consequence, stage.token_of(plan, run)};
  casebook::keep_schedule(failure.replay, stage.log_of(0), run.findings);
  return failure;
}

// Learns from one run after the other.
class Learning {
 public:
  Learning(const Stage& stage, Reference& reference) : stage_(stage), reference_(reference) {}

  void add(const StagedRun& run, const Plan* plan) {
    ++reference_.runs;
    ended_ = ended_ || !run.timed_out;
    statuses_.add(run);
    reference_.statuses = statuses_.usual();
    if (!run.failed()) return;
    const Consequence consequence = consequence_of(run, reference_);
    const bool known = std::any_of(reference_.failures.begin(), reference_.failures.end(), [&](const Failure& failure) {
      return failure.consequence.harm == consequence.harm && (plan == nullptr || !failure.replay.empty());
    });
    if (known) return;
    reference_.failures.push_back(plan == nullptr ? Failure{consequence, ""}
                                                  : failure_of(run, consequence, stage_, *plan));
  }
  [[nodiscard]] bool knows_success() const { return statuses_.knows_success(); }
  // After the last run.
  void finish() {
    reference_.never_ends = !ended_;
    if (reference_.never_ends)
      std::erase_if(reference_.failures, [](const Failure& it) { return it.consequence.harm == Harm::kHang; });
  }

 private:
  const Stage& stage_;
  Reference& reference_;
  UsualStatuses statuses_;
  bool ended_ = false;  // some run, by itself
};

Plan quiet_plan(StrategyKind strategy, uint32_t seed) {
  Plan plan;
  plan.strategy = strategy;
  plan.seed = seed;
  return plan;
}

// Why a program that was started did not run as it was asked to.
std::string reason_of(const StagedRun& run) {
  constexpr const char* kAnother = "it was built by another version of norn; build it again with this norn-cc/norn-c++";
  if (run.errors.empty()) return kAnother;
  const std::string line = run.errors.substr(0, run.errors.find('\n'));
  // What its runtime says of files and options that it does not know: this norn made them.
  constexpr const char* kUnknown[] = {
      "norn: not an outcome: ", "norn: not a log of decisions: ", "norn: NORN_OPTIONS: "};
  const bool is_another =
      std::any_of(std::begin(kUnknown), std::end(kUnknown), [&](const char* words) { return line.starts_with(words); });
  return is_another ? kAnother : line;
}

}  // namespace

bool Reference::is_usual_status(int status) const {
  return status == 0 || statuses.empty() || std::binary_search(statuses.begin(), statuses.end(), status);
}

bool Reference::is_usual_output(const std::string& output) const {
  return outputs.empty() || std::find(outputs.begin(), outputs.end(), output) != outputs.end();
}

void UsualStatuses::add(const StagedRun& run) {
  if (run.failed() || run.cut) return;
  success_ = success_ || run.exit == 0;
  if (std::find(seen_.begin(), seen_.end(), run.exit) == seen_.end()) seen_.push_back(run.exit);
}

std::vector<int> UsualStatuses::usual() const {
  if (success_) return {0};
  std::vector<int> sorted = seen_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool learn_reference(Stage& stage, double timeout, Reference& reference, std::string& error) {
  stage.set_timeout(timeout > 0 ? timeout : kPatience, timeout > 0);
  Learning learning(stage, reference);
  const Plan quiet = quiet_plan(StrategyKind::kRoundRobin, 0);
  const StagedRun controlled = stage.run(quiet, 0);
  if (!controlled.started) {
    error = fmt::format("{} cannot be started: {}", stage.command()[0], std::strerror(controlled.start_error));
    return false;
  }
  if (!controlled.controlled) {
    error = fmt::format("{} cannot be controlled: {}", stage.command()[0], reason_of(controlled));
    return false;
  }
  reference.predicates = controlled.predicates;
  reference.held = controlled.held;
  reference.decisions = std::max<uint64_t>(controlled.decisions, 1);
  learning.add(controlled, &quiet);
  double longest = controlled.seconds;
  bool hung_plainly = false;
  // What comes from outside is only there under control.
  if (controlled.slept <= kMostSleep && !stage.has_inputs()) {
    // A hundred times what it took under control, which is slower: it stands still.
    constexpr double kMostPatience = 10, kLittlePatience = 2, kTimes = 100;
    const double patience =
        controlled.failed() ? kLittlePatience : std::clamp(kTimes * controlled.seconds, kLittlePatience, kMostPatience);
    const double before = stage.timeout();
    stage.set_timeout(std::min(before, patience), true);
    const StagedRun first = stage.run_plain(0);
    learning.add(first, nullptr);
    hung_plainly = first.timed_out;
    const bool goes_on = !hung_plainly;
    const StagedRun second = goes_on ? stage.run_plain(0) : first;
    if (goes_on) learning.add(second, nullptr);
    for (unsigned i = 0; goes_on && i < kMostForSuccess && !learning.knows_success(); ++i)
      learning.add(stage.run_plain(0), nullptr);
    const auto is_norm = [&](const StagedRun& run) {
      return !run.failed() &&
             std::find(reference.statuses.begin(), reference.statuses.end(), run.exit) != reference.statuses.end();
    };
    if (is_norm(first) && is_norm(second) && first.output == second.output) {
      reference.outputs.push_back(first.output);
      // It may show the time, which is another one under control.
      if (is_norm(controlled)) reference.outputs.push_back(controlled.output);
    }
    if (!second.failed()) longest = std::max({longest, first.seconds, second.seconds});
    stage.set_timeout(before, timeout > 0);
  }
  // Nobody has ended with 0, or nobody was asked: another schedule may. Where two hung, a third would.
  const bool hangs = controlled.timed_out || hung_plainly;
  for (uint32_t seed = 1; seed <= kMostForSuccess && !learning.knows_success() && !hangs; ++seed) {
    const Plan plan = quiet_plan(StrategyKind::kPos, seed);
    learning.add(stage.run(plan, 0), &plan);
  }
  learning.finish();
  if (timeout > 0) {
    stage.set_timeout(timeout, true);
  } else {
    stage.set_timeout(std::max(kPatience, 20 * longest), false);
  }
  return true;
}

}  // namespace norn::experiment
