// Many controlled runs of one program, several at a time.
#pragma once

#include <vector>

#include "experiment/stage.h"

namespace norn::classify {

using experiment::Plan;
using experiment::StagedRun;

class Attempts {
 public:
  Attempts(const experiment::Stage& stage, unsigned jobs) : stage_(stage), jobs_(jobs) {}

  // The runs are in each other's way: one at a time from now on.
  void be_alone() { jobs_ = 1; }
  // In the order of the plans. Those that there was no time for are `cut`.
  [[nodiscard]] std::vector<StagedRun> run(const std::vector<Plan>& plans) const;
  // While nobody else runs.
  [[nodiscard]] StagedRun alone(const Plan& plan) const { return stage_.run(plan, 0); }
  [[nodiscard]] const experiment::Stage& stage() const { return stage_; }

 private:
  const experiment::Stage& stage_;
  unsigned jobs_;
};

}  // namespace norn::classify
