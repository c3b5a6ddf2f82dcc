#include "schedule/strategies/two_orders.h"

namespace norn::schedule {

void TwoOrders::draw_later(uint32_t given, uint32_t other) {
  for (uint32_t i = 0; i < kMaxThreads; ++i) ranks_[i] = kMaxThreads + i;
  last_rank_ = 2 * kMaxThreads;
  if (order_.later < Order::kFirstRandom) {
    const bool given_far = order_.later != Order::kOtherFar;
    ranks_[given] = given_far ? 0 : 1;
    ranks_[other] = given_far ? 1 : 0;
  } else {
    for (uint64_t& rank : ranks_) rank = random_.below(kMaxThreads);
  }
}

// The threads at `given` and `other` stand at their statements: one of them goes.
uint32_t TwoOrders::meet_here(const Enabled& enabled, uint32_t given, uint32_t other) {
  const Step &one = enabled[given], &two = enabled[other];
  first_ = order_.flipped ? two : one;
  second_ = order_.flipped ? one : two;
  const bool given_came_first = chosen_at_[one.thread] < chosen_at_[two.thread];
  enforced_.what = Enforced::kMet | (first_.writes ? 0 : Enforced::kFirstReads) |
                   (second_.writes ? 0 : Enforced::kSecondReads) |
                   ((first_.sites & kSecondSite) != 0 ? Enforced::kFirstAtSecondSite : 0) |
                   (given_came_first ? Enforced::kGivenCameFirst : 0);
  enforced_.arrival = chosen_at_[given_came_first ? one.thread : two.thread] + 1;
  draw_later(one.thread, two.thread);
  stage_ = order_.holds ? Stage::kHolding : Stage::kSecond;
  return order_.flipped ? other : given;
}

// Whoever came here performs its access; the strategy still hears that it stands before it.
uint32_t TwoOrders::go_early(const Enabled& enabled) {
  const uint32_t index = enabled.index_of(enabled.running);
  if (index == kNobody || enabled[index].sites == 0) {
    stage_ = Stage::kLater;  // another execution than the one that was asked for
    return follow_later(enabled, kNobody);
  }
  first_ = enabled[index];
  enforced_.what = Enforced::kEarly;
  stage_ = Stage::kEarly;
  return index;
}

// The strategy's choice, with the first one before its access; the other one's meeting with it is the end of it.
uint32_t TwoOrders::follow_before(const Enabled& enabled) {
  uint32_t count = 0, seen = kNobody;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (enabled[i].thread > first_.thread && seen == kNobody) as_if_[seen = count++] = first_;
    if (enabled[i].thread == first_.thread) {
      as_if_[seen = count++] = first_;
    } else {
      as_if_[count++] = enabled[i];
    }
  }
  if (seen == kNobody) as_if_[seen = count++] = first_;
  const Enabled shown = {as_if_, count, enabled.running};
  const uint32_t index = before_.choose(shown);
  if (index == kNobody) return kNobody;
  const uint32_t met = met_by(shown, index);
  const uint32_t second = index == seen ? met : index;
  if (index != seen && met != seen) return enabled.index_of(shown[index].thread);
  // The first one is through; the second one's access is next. (If the strategy lets the first one go by itself, nobody
  // comes.)
  if (second == kNobody) {
    draw_later(first_.thread, first_.thread);
    stage_ = Stage::kLater;
    return follow_later(enabled, kNobody);
  }
  second_ = shown[second];
  // The ranks are those of the same meeting when it was only a meeting.
  draw_later(shown[index].thread, shown[met].thread);
  enforced_.what |= Enforced::kMet | Enforced::kBothDone;
  stage_ = Stage::kLater;
  return enabled.index_of(second_.thread);
}

// Whoever is in front of the others; threads that long do nothing but yield only if there is nobody else.
uint32_t TwoOrders::follow_later(const Enabled& enabled, uint32_t without) {
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    if (enabled[i].thread == without) continue;
    const bool is_better =
        best == kNobody || (enabled[best].idle && !enabled[i].idle) ||
        (enabled[best].idle == enabled[i].idle && ranks_[enabled[i].thread] < ranks_[enabled[best].thread]);
    if (is_better) best = i;
  }
  if (order_.later >= Order::kFirstRandom && best != kNobody && random_.below(kConstancy) == 0)
    ranks_[enabled[best].thread] = random_.below(kMaxThreads);
  if (order_.later == Order::kInTurns && best != kNobody && enabled[best].op == Op::kRelease)
    go_behind(enabled[best].thread);
  return best;
}

// Of a thread that performed its access while the other is held: does it do anything else?
void TwoOrders::watch_first(const Step& step) {
  if (step.thread != first_.thread || step.op == Op::kYield || step.op == Op::kSleep) return;
  const bool reads = step.op == Op::kAccess && !step.writes;
  if (!reads) in_vain_ = 0;
  if (reads && step.site == first_.site && step.address == first_.address) ++in_vain_;
}

uint32_t TwoOrders::choose(const Enabled& enabled) {
  const Stage before = stage_;
  if (before != Stage::kBefore) stop_nobody();
  const uint32_t index = choose_now(enabled);
  if (index == kNobody) return index;
  // Of the two, whoever performs its access now.
  const bool is_first = before == Stage::kBefore && stage_ != Stage::kBefore;
  const bool is_second = before != Stage::kLater && stage_ == Stage::kLater && enabled[index].thread == second_.thread;
  if (is_first || is_second) stop_next(enabled[index].thread);
  chosen_at_[enabled[index].thread] = ++decisions_;
  return index;
}

uint32_t TwoOrders::pick(uint32_t n) {
  ++decisions_;
  return stage_ == Stage::kBefore || stage_ == Stage::kEarly ? before_.pick(n) : random_.below(n);
}

uint32_t TwoOrders::choose_now(const Enabled& enabled) {
  if (stage_ == Stage::kBefore) {
    if (decisions_ + 1 == order_.from) return go_early(enabled);
    const uint32_t index = before_.choose(enabled);
    const uint32_t other = index == kNobody ? kNobody : met_by(enabled, index);
    if (other == kNobody || ++meetings_ != order_.meeting || order_.from != 0) return index;
    return meet_here(enabled, index, other);
  }
  if (stage_ == Stage::kEarly) return follow_before(enabled);
  if (stage_ == Stage::kSecond) {
    stage_ = Stage::kLater;
    const uint32_t index = enabled.index_of(second_.thread);
    if (index != kNobody) {
      enforced_.what |= Enforced::kBothDone;
      return index;
    }
  }
  if (stage_ == Stage::kHolding) {
    const uint32_t index = follow_later(enabled, second_.thread);
    if (index == kNobody || (enabled[index].idle && enabled.index_of(second_.thread) != kNobody)) return kNobody;
    watch_first(enabled[index]);
    return index;
  }
  return follow_later(enabled, kNobody);
}

void TwoOrders::let_go(const Enabled& enabled) {
  if (stage_ == Stage::kBefore) return before_.let_go(enabled);
  if (stage_ == Stage::kEarly) {
    // The second one does not come; or something else keeps it away.
    draw_later(first_.thread, first_.thread);
    stage_ = Stage::kLater;
  }
  if (stage_ == Stage::kHolding) {
    if (in_vain_ >= kInVain) enforced_.what |= Enforced::kWaits;
    stage_ = Stage::kSecond;
  }
}

void TwoOrders::yielded(uint32_t thread) {
  if (stage_ == Stage::kBefore || stage_ == Stage::kEarly) return before_.yielded(thread);
  go_behind(thread);
}

void TwoOrders::ended(uint32_t thread) {
  if (stage_ == Stage::kBefore || (stage_ == Stage::kEarly && thread != first_.thread)) return before_.ended(thread);
  go_behind(thread);
  // Whoever ended has got on.
  if (stage_ == Stage::kHolding && thread == first_.thread) in_vain_ = 0;
}

}  // namespace norn::schedule
