// Pairs of runs, one in each order of the two accesses, and what is to be concluded from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/attempts.h"
#include "experiment/consequence.h"
#include "experiment/reference.h"

namespace norn::classify {

// After one prefix and with one later schedule.
struct OrderedPair {
  struct Side {
    Plan plan;
    StagedRun run;
  };
  Side given;
  Side flipped;
  bool is_random = false;  // of the later schedule
};

// Something to conclude, if it shows again when the two are run alone.
struct Suspicion {
  const OrderedPair::Side* shows = nullptr;         // the run that does harm, or whose output differs
  const OrderedPair::Side* other = nullptr;         // the other order
  experiment::Harm harm = experiment::Harm::kNone;  // kNone: what is visible differs
};

// The most harmful first; none: the pairs show nothing.
//
// Harm counts where it is the order's doing:
// - in a schedule without chance, if the other order does not do it there;
// - if runs of one order fail so, and none of the other;
// - if all runs of both orders fail so, and the program does not in the runs to learn from.
// A difference counts
// - in a schedule without chance, unless it is one of the order of lines, and runs of one and the same order differ so;
// - in a random one, if no run of the other order shows what one order shows.
[[nodiscard]] std::vector<Suspicion> suspicions_in(const std::vector<OrderedPair>& pairs,
                                                   const experiment::Reference& reference);

// The harm that classes know: not the status, not the output.
[[nodiscard]] experiment::Consequence harm_of(const StagedRun& run, const experiment::Reference& reference);

}  // namespace norn::classify
