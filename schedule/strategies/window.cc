#include "schedule/strategies/window.h"

namespace norn::schedule {
namespace {

constexpr uint32_t kHeld[] = {32, 64, 128, 192};
constexpr uint32_t kSwitched[] = {0, 16, 64, 128};
constexpr uint32_t kMostWrites = 6;
constexpr uint32_t kLeastSteps = 8, kDoublings = 5;

}  // namespace

Window::Window(uint64_t seed, Habits habits)
    : Strategy(seed),
      held_of_256_(kHeld[random_.below(4)]),
      most_writes_(1 + random_.below(kMostWrites)),
      switched_of_256_(kSwitched[random_.below(4)]) {
  if (habits != Habits::kFrontier) return;
  // The way back has brought threads where they are by many switches; now each gets far.
  held_of_256_ = 96 + random_.below(128);
  most_writes_ = 1 + random_.below(4);
  switched_of_256_ = 0;
  held_elsewhere_of_256_ = random_.below(48);
}

void Window::draw(Thread& thread, const Step& step) {
  if (thread.is_drawn) return;
  thread.is_drawn = true;
  thread.writes = 0;
  bool is_window = false;
  if (step.writes && step.address != 0)
    for (const uint64_t address : thread.accessed) is_window = is_window || address == step.address;
  const uint32_t held_of_256 = is_window ? held_of_256_ : held_elsewhere_of_256_;
  if (held_of_256 == 0 || random_.below(256) >= held_of_256) return;
  thread.writes = static_cast<uint16_t>(1 + random_.below(most_writes_));
  thread.steps = static_cast<uint16_t>(kLeastSteps << random_.below(kDoublings));
}

template <class MayBe>
uint32_t Window::any_of(const Enabled& enabled, const MayBe& may_be) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) count += may_be(enabled[i]) ? 1 : 0;
  if (count == 0) return kNobody;
  uint32_t chosen = random_.below(count);
  for (uint32_t i = 0; i < enabled.count; ++i)
    if (may_be(enabled[i]) && chosen-- == 0) return i;
  return kNobody;
}

uint32_t Window::choose(const Enabled& enabled) {
  for (uint32_t i = 0; i < enabled.count; ++i) {
    Thread& thread = threads_[enabled[i].thread];
    draw(thread, enabled[i]);
    if (thread.writes != 0 && thread.steps-- == 0) thread.writes = 0;
  }
  const auto is_held = [&](const Step& step) { return threads_[step.thread].writes != 0; };
  const auto gets_on = [&](const Step& step) { return !is_held(step) && !step.idle && step.op != Op::kYield; };
  const uint32_t same = enabled.index_of(current_);
  uint32_t chosen = same;
  if (same == kNobody || !gets_on(enabled[same]) || random_.below(256) < switched_of_256_)
    chosen = any_of(enabled, gets_on);
  if (chosen == kNobody) chosen = any_of(enabled, is_held);
  if (chosen == kNobody) chosen = random_.below(enabled.count);
  perform(enabled, chosen);
  return chosen;
}

void Window::perform(const Enabled& enabled, uint32_t chosen) {
  const Step& step = enabled[chosen];
  current_ = step.thread;
  Thread& thread = threads_[current_];
  thread.is_drawn = false;
  thread.writes = 0;
  if (step.address != 0) thread.accessed[thread.next++ % kRemembered] = step.address;
  if (!step.writes) return;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    uint16_t& writes = threads_[enabled[i].thread].writes;
    if (conflict(step, enabled[i]) && writes != 0) --writes;
  }
}

}  // namespace norn::schedule
