#include "experiment/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "cli/terminal.h"
#include "report/text_report.h"

namespace norn::cli {
namespace {

using Json = nlohmann::json;
using schedule::Outcome;
using schedule::StrategyKind;

// One line that is written over and over, on a terminal only.
class Progress {
 public:
  Progress(std::string what, unsigned all) : what_(std::move(what)), all_(all), shown_(is_terminal(2)) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void done(unsigned count) const {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[Knorn: {}: {} of {} runs", what_, count, all_);
    std::fflush(stderr);
  }

 private:
  std::string what_;
  unsigned all_;
  bool shown_;
};

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
    keep_schedule(seen.replay, log);
  }

  Verdict finish() {
    for (auto& [harm, seen] : verdict.is_confirmed() ? of_confirmed : of_others) verdict.consequences.push_back(seen);
    verdict.mean_events = verdict.runs == 0 ? 0 : static_cast<double>(events) / verdict.runs;
    return std::move(verdict);
  }
};

std::string searches_in_words() {
  return collect([](Sink sink) { options::put_names(schedule::kSearchNames, sink); });
}

}  // namespace

bool came_between(const StagedRun& run) { return (run.orders & Outcome::kSecondThenFirst) != 0; }

bool confirms(const StagedRun& run, const ConfirmCandidate& candidate, const Consequence& consequence) {
  if (candidate.sites.empty()) return consequence.harm != Harm::kNone;
  if (candidate.kind == CandidateKind::kDeadlock) return run.deadlocked != 0;
  if (candidate.kind == CandidateKind::kAtomicity) return came_between(run) && consequence.harm != Harm::kNone;
  return run.meetings > 0;
}

void ConfirmOptions::add(CLI::App& app) {
  app.add_option("--runs", runs_, "how many schedules to try for each (default: 20)")->type_name("N");
  app.add_option("--jobs", jobs_, "how many at once (default: as many as there are cores)")->type_name("N");
  app.add_option("--strategy", strategy_,
                 fmt::format("how schedules are chosen: {} (default: race-directed)", searches_in_words()))
      ->type_name("NAME");
  app.add_option("--seed", seed_, "of the first schedule; the next ones follow (default: 1)")->type_name("N");
  app.add_option("--depth", depth_, "of pct: one more than the preemptions it plans (default: 3)")->type_name("N");
  app.add_option("--timeout", timeout_, "seconds after which a run hangs (default: many times a plain run's)")
      ->type_name("SECONDS");
}

bool ConfirmOptions::resolve(bool explore, ConfirmSettings& settings, std::string& error) const {
  if (runs_ == 0) return error = "--runs=0: nothing would be tried", false;
  if (jobs_ == 0u) return error = "--jobs=0: nobody would try it", false;
  settings.runs = runs_;
  settings.jobs = jobs_.value_or(std::max(1u, std::thread::hardware_concurrency()));
  settings.seed = seed_;
  settings.depth = std::clamp(depth_, 1u, schedule::Pct::kMaxDepth);
  settings.timeout = timeout_;
  settings.strategy = explore ? StrategyKind::kRandom : StrategyKind::kRaceDirected;
  if (strategy_.empty()) return true;
  const auto strategy = schedule::strategy_named(strategy_);
  if (!strategy || !schedule::kStrategies[static_cast<size_t>(*strategy)].searches) {
    const Text near = options::nearest_name(report::text_of(strategy_), schedule::kSearchNames);
    error = fmt::format("--strategy={} is not one of {}{}", strategy_, searches_in_words(),
                        near.empty() ? "" : fmt::format("; did you mean {}?", view(near)));
    return false;
  }
  settings.strategy = *strategy;
  return true;
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
                const ConfirmSettings& settings) {
  Tally tally;
  tally.verdict.candidate = candidate;
  std::atomic<unsigned> next{0}, done{0};
  const Progress progress(candidate.id.empty() ? "exploring" : "confirming R" + candidate.id, settings.runs);
  const auto work = [&](unsigned worker) {
    for (unsigned number = next++; number < settings.runs; number = next++) {
      const Plan plan = plan_for(stage, candidate, reference, settings, number);
      tally.add(stage.run(plan, worker), plan, reference, stage.log_of(worker));
      progress.done(++done);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned worker = 1; worker < std::min(settings.jobs, settings.runs); ++worker)
    workers.emplace_back(work, worker);
  work(0);
  for (std::thread& worker : workers) worker.join();
  return tally.finish();
}

std::string text_of(const Verdict& verdict, const std::vector<std::string>& command) {
  const ConfirmCandidate& candidate = verdict.candidate;
  const bool explores = candidate.sites.empty();
  std::string out = "norn: ";
  if (!explores) out += fmt::format("R{} {} ({}): ", candidate.id, candidate.title, candidate.places);
  if (verdict.is_confirmed()) {
    out += explores ? fmt::format("something went wrong in {} of {} runs", verdict.confirmed, verdict.runs)
                    : fmt::format("confirmed in {} of {} runs", verdict.confirmed, verdict.runs);
    if (!explores && candidate.kind == CandidateKind::kRace)
      out += verdict.first_then_second && verdict.second_then_first ? ", in both orders" : ", in one order";
  } else {
    out += explores ? fmt::format("nothing seen in {} runs", verdict.runs)
                    : fmt::format("unconfirmed after {} runs", verdict.runs);
  }
  out += "\n";
  for (const SeenConsequence& seen : verdict.consequences) {
    if (!verdict.is_confirmed() && (explores || candidate.kind == CandidateKind::kAtomicity)) break;
    out += fmt::format("        {} in {} of them{}{}\n", words_of(seen.consequence.harm), seen.count,
                       verdict.is_confirmed() ? "" : ", though they did not meet",
                       seen.consequence.detail.empty() ? "" : ": " + seen.consequence.detail);
  }
  if (candidate.kind == CandidateKind::kAtomicity)
    out += fmt::format("        the other thread came between in {} of {} runs\n", verdict.came_between, verdict.runs);
  if (verdict.is_confirmed() && verdict.lost > 0)
    out += fmt::format("        {} of the other runs ended in a deadlock or hung before that\n", verdict.lost);
  if (verdict.taken_away > 0)
    out += fmt::format("        in {} runs a thread blocked or ran on unseen, and its turn was taken away\n",
                       verdict.taken_away);
  if (!verdict.deadlock.empty()) out += verdict.deadlock;
  if (!verdict.story.empty()) out += verdict.story;
  if (verdict.is_confirmed()) {
    const std::string words = collect([&](Sink sink) {
      for (const std::string& word : command) {
        sink.put(' ');
        report::put_shell_word(report::text_of(word), sink);
      }
    });
    out += fmt::format("        replay: norn replay {} --{}\n", verdict.consequences[0].replay, words);
  }
  return out;
}

nlohmann::json json_of(const std::vector<Verdict>& verdicts) {
  Json all = Json::array();
  for (const Verdict& verdict : verdicts) {
    constexpr const char* kKinds[] = {"race", "deadlock", "atomicity"};
    Json orders = Json::array(), consequences = Json::array();
    if (verdict.first_then_second) orders.push_back("ab");
    if (verdict.second_then_first) orders.push_back("ba");
    for (const SeenConsequence& seen : verdict.consequences)
      consequences.push_back({{"kind", name_of(seen.consequence.harm)},
                              {"count", seen.count},
                              {"detail", seen.consequence.detail},
                              {"replay", seen.replay}});
    const ConfirmCandidate& candidate = verdict.candidate;
    all.push_back({{"id", candidate.id.empty() ? Json() : Json(candidate.id)},
                   {"kind", kKinds[static_cast<size_t>(candidate.kind)]},
                   {"title", candidate.title},
                   {"places", candidate.places},
                   {"standing", verdict.is_confirmed() ? "confirmed" : "unconfirmed"},
                   {"runs", verdict.runs},
                   {"confirmed", verdict.confirmed},
                   {"orders", orders},
                   {"consequences", consequences},
                   {"mean_events", verdict.mean_events}});
  }
  return {{"norn", 1}, {"confirm", all}};
}

int status_of(const std::vector<Verdict>& verdicts, options::FailOn fail_on, int race_status) {
  if (fail_on == options::FailOn::kNone) return 0;
  const bool any = std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.is_confirmed(); });
  return any ? race_status : 0;
}

}  // namespace norn::cli
