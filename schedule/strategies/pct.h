// pct: Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs (ASPLOS 2010). The enabled thread of the highest priority runs; d - 1 times, at steps drawn beforehand, the
// running thread falls to the bottom. A bug that needs d ordering constraints is found with probability ≥ 1 /
// (n·k^(d-1)) for n threads and k steps.
//
// Deviations: the steps are drawn from as many as the caller says a run has (the document counts them in a first run,
// and so does the command line). A thread that yields falls below all others: in the document it would spin for ever.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class Pct final : public Strategy {
 public:
  static constexpr uint32_t kMaxDepth = 16;

  // `depth` d from 1 to kMaxDepth; `length` k > 0.
  Pct(uint64_t seed, uint32_t depth, uint64_t length);

  uint32_t choose(const Enabled& enabled) override;
  void yielded(uint32_t thread) override { priorities_[thread] = fall(); }
  void ended(uint32_t thread) override { priorities_[thread] = 0; }

 private:
  // Of threads that have not fallen; any that has fallen is below.
  static constexpr uint64_t kHigh = uint64_t{1} << 63;
  uint64_t fall() { return --lowest_; }

  uint64_t change_points_[kMaxDepth] = {};
  uint32_t changes_;
  uint64_t steps_ = 0;
  uint64_t lowest_ = kHigh;
  uint64_t priorities_[kMaxThreads] = {};  // 0: not drawn yet
};

}  // namespace norn::schedule
