// selected: threads are switched only at statements that the seed selects; all between runs at once. Few places, of
// which all orders are tried, show more than many that do not matter. (The idea is SURW's: Zhao and others: Selectively
// Uniform Concurrency Testing, ASPLOS 2025.)
//
// Deviations: SURW selects variables by what earlier runs accessed, and weighs each thread by the number of its
// accesses that are still to come. Here statements are selected, which are the same in each run, by their hashes; a run
// draws how many are, whether those that read count, and how likely it is that the running thread goes on there.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class Selected final : public Strategy {
 public:
  explicit Selected(uint64_t seed);

  uint32_t choose(const Enabled& enabled) override;

 private:
  [[nodiscard]] bool is_selected(const Step& step) const;

  uint64_t key_;
  uint32_t selected_of_256_;
  uint32_t stays_of_256_;
  bool only_writes_;
  uint32_t current_ = kNobody;
};

}  // namespace norn::schedule
