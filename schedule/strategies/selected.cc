#include "schedule/strategies/selected.h"

#include "base/hash.h"

namespace norn::schedule {
namespace {

constexpr bool gets_on(const Step& step) { return !step.idle && step.op != Op::kYield; }

}  // namespace

Selected::Selected(uint64_t seed)
    : Strategy(seed),
      key_(random_.next()),
      selected_of_256_(64 * (1 + random_.below(4))),
      stays_of_256_(64 * random_.below(4)),
      only_writes_(random_.coin()) {}

bool Selected::is_selected(const Step& step) const {
  if (step.site == 0 || (only_writes_ && !step.writes)) return false;
  return hash_well(step.site ^ key_) % 256 < selected_of_256_;
}

uint32_t Selected::choose(const Enabled& enabled) {
  const uint32_t same = enabled.index_of(current_);
  if (same != kNobody && gets_on(enabled[same]) && (!is_selected(enabled[same]) || random_.below(256) < stays_of_256_))
    return same;
  // Who can get to its next selected step does so first; then one of those that stand there; then one that waits.
  const auto rank_of = [&](const Step& step) { return !gets_on(step) ? 0 : is_selected(step) ? 1 : 2; };
  int highest = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    const int rank = rank_of(enabled[i]);
    if (rank > highest) highest = rank, count = 0;
    count += rank == highest ? 1 : 0;
  }
  uint32_t left = random_.below(count), chosen = 0;
  for (uint32_t i = 0; i < enabled.count; ++i)
    if (rank_of(enabled[i]) == highest && left-- == 0) chosen = i;
  current_ = enabled[chosen].thread;
  return chosen;
}

}  // namespace norn::schedule
