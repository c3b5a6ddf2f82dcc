#include "cli/confirm/confirm_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "options/options.h"
#include "options/share.h"
#include "report/record_reader.h"
#include "schedule/strategies.h"

namespace norn::cli {
namespace {

using experiment::ConfirmSettings;

// One line that is written over and over, on a terminal only.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)), shown_(is_terminal(2)) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const experiment::Verdict& so_far) const {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[Knorn: {}: {} runs, {} with something to show, {} since the last new one", what_,
               so_far.runs, so_far.confirmed, so_far.since_new);
    std::fflush(stderr);
  }

 private:
  std::string what_;
  bool shown_;
};

std::string searches_in_words() {
  return collect([](Sink sink) { options::put_names(schedule::kSearchNames, sink); });
}

}  // namespace

std::chrono::steady_clock::time_point deadline_after(double seconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

void ConfirmOptions::add(Arguments& app) {
  app.add_option("--runs", runs_,
                 "how many schedules to try (default: 20 for each race, ten times as many if it is not met; exploring: "
                 "until 300 schedules show nothing new)")
      ->type_name("N");
  app.add_flag("--first", only_first_, "end with the first schedule that shows it, or shows any harm");
  app.add_flag("--exec", starts_anew_,
               "execute the program for each schedule: slower than copies of one that has started");
  app.add_option("--budget", budget_, "seconds for everything (default: 60 to check or explore)")->type_name("SECONDS");
  app.add_option("--jobs", jobs_, "how many at once (default: as many as there are cores)")->type_name("N");
  app.add_option("--strategy", strategy_,
                 fmt::format("how schedules are chosen: {} (default: all, in turn)", searches_in_words()))
      ->type_name("NAME");
  app.add_option("--seed", seed_, "of the first schedule; the next ones follow (default: 1)")->type_name("N");
  app.add_option("--share", share_,
                 "a part of the schedules, K of N: others make theirs elsewhere (env: mpirun or Slurm says which); "
                 "--json keeps what it finds for --collect")
      ->type_name("K/N");
  app.add_option("--depth", depth_, "of pct: one more than the preemptions it plans (default: 3)")->type_name("N");
  app.add_option("--timeout", timeout_, "seconds after which a run hangs (default: many times a plain run's)")
      ->type_name("SECONDS");
}

bool ConfirmOptions::resolve(bool explore, ConfirmSettings& settings, std::string& error) const {
  constexpr unsigned kRuns = 20, kMore = 180, kPatience = 300, kNoEnd = 1u << 30;
  if (runs_ == 0u) return error = "--runs=0: nothing would be tried", false;
  if (budget_ && !(*budget_ > 0)) return error = "--budget: a number of seconds above 0", false;
  if (jobs_ == 0u) return error = "--jobs=0: nobody would try it", false;
  settings.runs = runs_.value_or(kRuns);
  if (!runs_ && strategy_.empty()) {
    if (explore) settings.runs = kNoEnd, settings.patience = kPatience;
    if (!explore) settings.more = kMore;
  }
  settings.jobs = jobs_.value_or(std::max(1u, std::thread::hardware_concurrency()));
  settings.seed = seed_;
  settings.depth = std::clamp(depth_, 1u, schedule::Pct::kMaxDepth);
  settings.timeout = timeout_;
  settings.only_first = only_first_;
  if (!share_.empty()) {
    const auto share = options::share_of(share_, error);
    if (!share) return false;
    settings.share = *share;
  }
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

KeptCorpus::KeptCorpus(const experiment::Stage& stage, uint64_t seed) : program_(stage.program_hash()), corpus_(seed) {
  corpus_.load(casebook::corpus_file(program_), program_);
}

// It is a help for the next search, no result: where it cannot be written, the next one begins anew.
KeptCorpus::~KeptCorpus() { (void)corpus_.save(casebook::corpus_file(program_), program_); }

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
                                     const experiment::Reference& reference, const ConfirmSettings& settings,
                                     experiment::Corpus& corpus) {
  const Progress progress(candidate.id.empty() ? "exploring" : "confirming R" + candidate.id);
  return experiment::confirm(stage, candidate, reference, settings, corpus,
                             [&](const experiment::Verdict& so_far) { progress.show(so_far); });
}

}  // namespace norn::cli
