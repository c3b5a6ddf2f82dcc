#include "schedule/strategies/race_directed.h"

namespace norn::schedule {
namespace {

uint32_t first_in(const Enabled& enabled, const auto& is_it) {
  for (uint32_t i = 0; i < enabled.count; ++i)
    if (is_it(enabled[i])) return i;
  return kNobody;
}

}  // namespace

// What becomes of the winner, and what of the losers.
struct RaceDirected::Resolution {
  State winner, loser;
};

// The race at which the step's thread meets one that is postponed, if it does. True: the step goes first.
bool RaceDirected::resolve(const Enabled& enabled, const Step& step) {
  const auto is_met = [&](const Step& other) { return is_postponed(other.thread) && meet(step, other); };
  if (first_in(enabled, is_met) == kNobody) {
    states_[step.thread] = State::kPostponed;
    return false;
  }
  static constexpr Resolution kResolutions[] = {
      {State::kReleased, State::kPostponed}, {State::kReleased, State::kPassed}, {State::kStays, State::kReleased}};
  const bool wins = random_.coin();
  const Resolution& resolution = kResolutions[random_.below(sizeof(kResolutions) / sizeof(kResolutions[0]))];
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (is_met(enabled[i])) states_[enabled[i].thread] = wins ? resolution.loser : resolution.winner;
  }
  states_[step.thread] = wins ? resolution.winner : resolution.loser;
  return wins;
}

// Its step is executed; of what is to come, the state knows whether it stops.
uint32_t RaceDirected::execute(const Enabled& enabled, uint32_t index) {
  State& state = states_[enabled[index].thread];
  state = state == State::kStays ? State::kPostponed : State::kFree;
  return index;
}

// Who goes on of those that are not postponed.
uint32_t RaceDirected::walk(const Enabled& enabled, uint32_t candidates) {
  if (even_) {
    uint32_t chosen = random_.below(candidates);
    return first_in(enabled, [&](const Step& step) { return !is_postponed(step.thread) && chosen-- == 0; });
  }
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (is_postponed(enabled[i].thread)) continue;
    uint32_t& priority = priorities_[enabled[i].thread];
    if (priority == 0 || all_draw_) priority = static_cast<uint32_t>(random_.next() >> 32) | 1;
    if (best == kNobody || priority > priorities_[enabled[best].thread]) best = i;
  }
  all_draw_ = false;
  if (random_.below(kConstancy) == 0) priorities_[enabled[best].thread] = 0;
  return best;
}

uint32_t RaceDirected::choose(const Enabled& enabled) {
  for (;;) {
    // Those that a race was resolved for go at once, the winners first: their statements stand next to each other.
    const auto first_with = [&](State state) {
      return first_in(enabled, [&](const Step& step) { return states_[step.thread] == state; });
    };
    if (const uint32_t winner = first_with(State::kStays); winner != kNobody) return execute(enabled, winner);
    if (const uint32_t released = first_with(State::kReleased); released != kNobody) return execute(enabled, released);
    uint32_t candidates = 0, idle = 0;
    for (uint32_t i = 0; i < enabled.count; ++i) {
      if (is_postponed(enabled[i].thread)) continue;
      ++candidates;
      idle += enabled[i].idle ? 1 : 0;
    }
    if (candidates == 0 || (idle == candidates && candidates < enabled.count)) return kNobody;
    const uint32_t at = walk(enabled, candidates);
    const bool passes = enabled[at].sites == 0 || states_[enabled[at].thread] == State::kPassed;
    if (passes || resolve(enabled, enabled[at])) return execute(enabled, at);
  }
}

void RaceDirected::let_go(const Enabled& enabled) {
  uint32_t postponed = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) postponed += is_postponed(enabled[i].thread) ? 1 : 0;
  if (postponed == 0) return;
  const uint32_t again = enabled.index_of(let_go_);
  if (again != kNobody && is_postponed(let_go_) && again_ != 0) {
    --again_;
    states_[let_go_] = State::kReleased;
    return;
  }
  again_ = (uint32_t{1} << random_.below(kMagnitudes)) - 1;
  uint32_t chosen = random_.below(postponed);
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (!is_postponed(enabled[i].thread) || chosen-- != 0) continue;
    let_go_ = enabled[i].thread;
    states_[let_go_] = State::kReleased;
  }
}

}  // namespace norn::schedule
