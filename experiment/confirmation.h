// Confirming: many controlled runs of a program for one candidate, and what they showed. Without a candidate,
// exploring: any harm is what is looked for.
//
// Unless a strategy is named, the runs take turns by a portfolio of all strategies, which share what each of them saw
// (experiment/search/corpus.h). A search ends when its runs are done, when its time is up, or when nothing new was seen
// for a while.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "experiment/candidates.h"
#include "experiment/consequence.h"
#include "experiment/reference.h"
#include "experiment/search/corpus.h"
#include "options/share.h"
#include "report/facts.h"

namespace norn::experiment {

struct ConfirmSettings {
  unsigned runs = 20;
  unsigned more = 0;  // so many more, while nothing was confirmed
  unsigned jobs = 1;
  uint32_t seed = 1;
  // Of the schedules of a search, counted from 0: the numbers index, index + count, …
  options::Share share;
  std::optional<schedule::StrategyKind> strategy;  // none: the portfolio
  uint32_t depth = 3;
  bool only_first = false;  // the first run that confirms it ends the search
  unsigned patience = 0;    // so many runs without anything new end the search; 0: they do not
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  double timeout = 0;  // seconds; 0: when it gets no further
};

struct SeenConsequence {
  Consequence consequence;
  unsigned count = 0;
  schedule::StrategyKind strategy{};  // of the first such run
  std::string replay;                 // likewise
  schedule::MetAccess met[2]{};       // likewise
};

// Why there were no more runs.
enum class SearchEnd { kAllRuns, kNothingNew, kNoTime, kFound };

struct Verdict {
  ConfirmCandidate candidate;
  unsigned runs = 0;
  unsigned confirmed = 0;
  schedule::StrategyKind strategy{};  // of the run whose token is shown
  bool first_then_second = false;
  bool second_then_first = false;
  std::vector<SeenConsequence> consequences;  // of the runs that confirmed it, or of all; the most harmful first
  double mean_events = 0;
  double mean_preemptions = 0;
  uint64_t length = 0;     // what pct drew its change points from; 0: it was not tried
  size_t pairs = 0;        // reads-from pairs that were seen, of all runs that share the corpus
  unsigned since_new = 0;  // runs since the last new one
  SearchEnd end = SearchEnd::kAllRuns;
  bool disturbed = false;     // runs were in each other's way, and made one at a time from then on
  unsigned taken_away = 0;    // runs in which a turn was taken away
  unsigned came_between = 0;  // runs in which the second site's thread went first where both stood
  std::string deadlock;       // who waits for what, of the first deadlock or standstill
  unsigned lost = 0;          // runs that ended in another deadlock, or hung, before the two could meet
  std::string story;          // of the shortest schedule, if one was asked for

  [[nodiscard]] bool is_confirmed() const { return confirmed > 0; }
  // As facts beside what detection saw. The texts are the verdict's.
  [[nodiscard]] report::Confirmation facts() const;
  [[nodiscard]] Harm harm() const { return consequences.empty() ? Harm::kNone : consequences[0].consequence.harm; }
};

// What the two did where they met, as reports have it.
[[nodiscard]] report::MetAccess met_access(const schedule::MetAccess& met);

// The thread at the second site went first where both stood.
[[nodiscard]] bool came_between(const StagedRun& run);

// A deadlock is what a candidate for one is confirmed by; a race by the meeting; broken atomicity by harm after the
// other thread came between; without a candidate, any harm.
[[nodiscard]] bool confirms(const StagedRun& run, const ConfirmCandidate& candidate, const Consequence& consequence);

// Called after each run with what is known so far; by one thread at a time.
using Progress = std::function<void(const Verdict& so_far)>;

[[nodiscard]] Verdict confirm(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
                              const ConfirmSettings& settings, Corpus& corpus, const Progress& progress = {});

}  // namespace norn::experiment
