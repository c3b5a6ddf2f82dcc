#include "cli/confirm_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/terminal.h"
#include "options/options.h"

namespace norn::cli {
namespace {

using experiment::ConfirmSettings;
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

std::string searches_in_words() {
  return collect([](Sink sink) { options::put_names(schedule::kSearchNames, sink); });
}

}  // namespace

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
    const Text near = options::nearest_name(text_of(strategy_), schedule::kSearchNames);
    error = fmt::format("--strategy={} is not one of {}{}", strategy_, searches_in_words(),
                        near.empty() ? "" : fmt::format("; did you mean {}?", view(near)));
    return false;
  }
  settings.strategy = *strategy;
  return true;
}

void keep_verdict(const casebook::KeptRun& run, report::Findings& findings, const experiment::Verdict& verdict,
                  CasebookFile& casebook, int64_t command) {
  report::Confirmation facts = verdict.facts();
  facts.token = findings.pool.keep(view(facts.token));
  const std::string& name = verdict.candidate.id;
  if (!findings.add(name, facts)) return;
  report::RaceId id;
  name.copy(id.hex, sizeof(id.hex) - 1);
  if (!casebook::keep_confirmation(run, id, facts))
    complain(fmt::format("{}: {}; norn show will not know what was confirmed", run.findings(), std::strerror(errno)));
  if (command == 0) return;
  const bool has_harm = verdict.is_confirmed() && verdict.harm() != experiment::Harm::kNone;
  casebook.attempt([&](casebook::Casebook& kept) {
    kept.add_confirmation(command, name, casebook::now(), facts,
                          has_harm ? std::string(experiment::words_of(verdict.harm())) : "");
  });
}

experiment::Verdict confirm_in_sight(const experiment::Stage& stage, const experiment::ConfirmCandidate& candidate,
                                     const experiment::Reference& reference, const ConfirmSettings& settings) {
  const Progress progress(candidate.id.empty() ? "exploring" : "confirming R" + candidate.id, settings.runs);
  return experiment::confirm(stage, candidate, reference, settings, [&](unsigned done) { progress.done(done); });
}

}  // namespace norn::cli
