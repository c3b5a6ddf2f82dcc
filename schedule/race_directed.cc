#include "schedule/race_directed.h"

namespace norn::schedule {
// True: `step` is executed. False: its thread is postponed, and those it met, if any, are released.
bool RaceDirected::resolve(const Enabled& enabled, const Step& step) {
  bool met = false;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    met = met || (is_postponed(enabled[i].thread) && meet(step, enabled[i]));
  }
  const bool wins = met && random_.coin();
  const State losers = met && random_.coin() ? State::kPassed : State::kPostponed;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (!is_postponed(enabled[i].thread) || !meet(step, enabled[i])) continue;
    states_[enabled[i].thread] = wins ? losers : State::kReleased;
  }
  if (!wins) states_[step.thread] = losers;
  return wins;
}

uint32_t RaceDirected::choose(const Enabled& enabled) {
  for (;;) {
    uint32_t candidates = 0, idle = 0;
    for (uint32_t i = 0; i < enabled.count; ++i) {
      // Those that a race was resolved for go first, and at once: their statements stand next to each other.
      if (states_[enabled[i].thread] == State::kReleased) {
        states_[enabled[i].thread] = State::kFree;
        return i;
      }
      if (is_postponed(enabled[i].thread)) continue;
      ++candidates;
      idle += enabled[i].idle ? 1 : 0;
    }
    if (candidates == 0 || (idle == candidates && candidates < enabled.count)) return kNobody;
    uint32_t chosen = random_.below(candidates);
    uint32_t at = 0;
    for (;; ++at) {
      if (is_postponed(enabled[at].thread)) continue;
      if (chosen-- == 0) break;
    }
    State& state = states_[enabled[at].thread];
    const bool passes = state == State::kPassed;
    if (passes) state = State::kFree;
    if (passes || enabled[at].sites == 0 || resolve(enabled, enabled[at])) return at;
  }
}

void RaceDirected::let_go(const Enabled& enabled) {
  uint32_t postponed = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) postponed += is_postponed(enabled[i].thread) ? 1 : 0;
  if (postponed == 0) return;
  const uint32_t again = enabled.index_of(let_go_);
  if (again != kNobody && is_postponed(let_go_) && random_.below(kAgain) != 0) {
    states_[let_go_] = State::kReleased;
    return;
  }
  uint32_t chosen = random_.below(postponed);
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (!is_postponed(enabled[i].thread) || chosen-- != 0) continue;
    let_go_ = enabled[i].thread;
    states_[let_go_] = State::kReleased;
  }
}

}  // namespace norn::schedule
