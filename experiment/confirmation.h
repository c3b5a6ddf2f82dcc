// Confirming: many controlled runs of a program for one candidate, and what they showed.
#pragma once

#include <functional>

#include "experiment/candidates.h"
#include "experiment/consequence.h"

namespace norn::experiment {

struct ConfirmSettings {
  unsigned runs = 20;
  unsigned jobs = 1;
  uint32_t seed = 1;
  schedule::StrategyKind strategy = schedule::StrategyKind::kRaceDirected;
  uint32_t depth = 3;
  double timeout = 0;  // seconds; 0: when it gets no further
};

struct SeenConsequence {
  Consequence consequence;
  unsigned count = 0;
  std::string replay;  // of the first such run
};

struct Verdict {
  ConfirmCandidate candidate;
  unsigned runs = 0;
  unsigned confirmed = 0;
  schedule::StrategyKind strategy{};
  bool first_then_second = false;
  bool second_then_first = false;
  std::vector<SeenConsequence> consequences;  // of the runs that confirmed it, or of all; the most harmful first
  double mean_events = 0;
  unsigned taken_away = 0;    // runs in which a turn was taken away
  unsigned came_between = 0;  // runs in which the second site's thread went first where both stood
  std::string deadlock;       // who waits for what, of the first deadlock
  unsigned lost = 0;          // runs that ended in another deadlock, or hung, before the two could meet
  std::string story;          // of the shortest schedule, if one was asked for

  [[nodiscard]] bool is_confirmed() const { return confirmed > 0; }
  // As facts beside what detection saw. The texts are the verdict's.
  [[nodiscard]] report::Confirmation facts() const;
  [[nodiscard]] Harm harm() const { return consequences.empty() ? Harm::kNone : consequences[0].consequence.harm; }
};

// The thread at the second site went first where both stood.
[[nodiscard]] bool came_between(const StagedRun& run);

// A deadlock is what a candidate for one is confirmed by; a race by the meeting; broken atomicity by harm after the
// other thread came between; without a candidate, any harm.
[[nodiscard]] bool confirms(const StagedRun& run, const ConfirmCandidate& candidate, const Consequence& consequence);

// What the program does by itself: one quiet schedule, and, unless it sleeps or hangs, two runs that nobody controls.
// Sets the stage's timeout. On false `error` is one line.
[[nodiscard]] bool find_reference(Stage& stage, const ConfirmSettings& settings, Reference& reference,
                                  std::string& error);

// Told after each run how many are done; by one thread at a time.
using Progress = std::function<void(unsigned done)>;

[[nodiscard]] Verdict confirm(const Stage& stage, const ConfirmCandidate& candidate, const Reference& reference,
                              const ConfirmSettings& settings, const Progress& progress = {});

}  // namespace norn::experiment
