// What is usual of a program, learned from runs that do not fail; and what its own runs did that was a failure.
//
// A run fails if it crashes, is stopped by an assertion, exception or sanitizer, deadlocks or hangs. Of those that do
// not, the exit statuses are usual; but where one of them ends with 0, that is success, and any other status is not.
// So a program that says 1 whenever it is well (grep, diff) is not harmed by saying 1, and one that says 1 when a race
// was lost in one of the runs to learn from is. Likewise a run that has not ended when its time is over hangs only if
// others end: a server never does. (What stands still by its state hangs in any case.) What it writes is usual if it
// writes the same whenever nobody interferes.
#pragma once

#include <string>
#include <vector>

#include "experiment/consequence.h"
#include "experiment/stage.h"

namespace norn::experiment {

// Something that went wrong in a run that was only to be learned from, or watched.
struct Failure {
  Consequence consequence;
  std::string replay;  // a token; empty: nobody controlled the run
};

struct Reference {
  std::vector<int> statuses;         // the usual ones, in ascending order; none: no run ended by itself
  std::vector<std::string> outputs;  // likewise; none: it differs by itself, so that nothing can be said
  uint64_t decisions = 1000;         // of a controlled run
  unsigned runs = 0;                 // that were learned from
  bool never_ends = false;           // all of them were ended by the clock: that alone is no harm
  std::vector<Failure> failures;     // one of each kind of harm
  uint32_t predicates = 0;           // what must hold: so much was looked at
  uint32_t held = 0;                 // of these, so many held once

  [[nodiscard]] bool is_usual_status(int status) const;
  [[nodiscard]] bool is_usual_output(const std::string& output) const;
};

// Takes the runs' statuses for usual as the rule above says. The order of the runs does not matter.
class UsualStatuses {
 public:
  void add(const StagedRun& run);
  // Someone ended with 0, so that no other run is needed to tell what success is.
  [[nodiscard]] bool knows_success() const { return success_; }
  [[nodiscard]] std::vector<int> usual() const;

 private:
  std::vector<int> seen_;
  bool success_ = false;
};

// Learns what is usual: one quiet schedule, and, unless the program sleeps or hangs, two runs that nobody controls; as
// long as none of them ends with 0, some more. Sets the stage's timeout; `timeout` is what the user asked for, 0 for
// nothing. On false `error` is one line.
[[nodiscard]] bool learn_reference(Stage& stage, double timeout, Reference& reference, std::string& error);

}  // namespace norn::experiment
