#include "analyze/samplers.h"

#include <algorithm>

namespace norn::analyze {
namespace {

using trace::Item;
using trace::ItemKind;
using trace::RegionStep;

// Counters by region.
template <class Counter>
Counter& counter_of(std::vector<Counter>& counters, uint32_t region) {
  if (region >= counters.size()) counters.resize(region + 1);
  return counters[region];
}

// Ten executions in a row, then a pause (§5.2: the first four samplers are bursty). A region begins with a burst.
class Bursts {
 public:
  // `pause`: how many executions are left out after the burst of that number.
  template <class Pause>
  bool next(Pause pause) {
    if (left_ != 0) return --left_, false;
    if (++burst_ == Sampler::kBurst) {
      burst_ = 0;
      left_ = pause(bursts_++);
    }
    return true;
  }

 private:
  uint32_t left_ = 0;
  uint32_t burst_ = 0;
  uint32_t bursts_ = 0;
};

// A burst and a pause of which so many per thousand are logged.
constexpr uint32_t pause_at(uint32_t per_thousand) { return Sampler::kBurst * 1000 / per_thousand - Sampler::kBurst; }

// TL-Ad (§3.4, table 3): for each function and thread 100 %, then 10 %, 1 % and 0.1 % from there on. core/order's
// sampler, which norn's own profile uses for functions and loops, is this one.
class ThreadLocalAdaptive : public SampleRule {
 public:
  bool enters(ThreadId thread, uint32_t function) override { return counter_of(counters_[thread], function).next(); }

 protected:
  std::unordered_map<ThreadId, std::vector<Sampler>> counters_;
};

// TL-Fx (§5.2, table 3): for each function and thread 5 %, without back-off.
class ThreadLocalFixed final : public SampleRule {
 public:
  bool enters(ThreadId thread, uint32_t function) override {
    return counter_of(counters_[thread], function).next([](uint32_t) { return pause_at(50); });
  }

 private:
  std::unordered_map<ThreadId, std::vector<Bursts>> counters_;
};

// G-Ad (§5.2, table 3; after SWAT): for each function, whoever calls it, 100 %, 50 %, 25 %, …, 0.1 %.
class GlobalAdaptive final : public SampleRule {
 public:
  bool enters(ThreadId /*thread*/, uint32_t function) override {
    return counter_of(counters_, function).next([](uint32_t bursts) {
      const uint32_t halvings = std::min(bursts + 1, 20u);
      return std::min(Sampler::kBurst * ((1u << halvings) - 1), pause_at(1));
    });
  }

 private:
  std::vector<Bursts> counters_;
};

// G-Fx (§5.2, table 3): for each function, whoever calls it, 10 %.
class GlobalFixed final : public SampleRule {
 public:
  bool enters(ThreadId /*thread*/, uint32_t function) override {
    return counter_of(counters_, function).next([](uint32_t) { return pause_at(100); });
  }

 private:
  std::vector<Bursts> counters_;
};

// Rnd10, Rnd25 (§5.2, table 3): each call by itself, with the same probability. Not bursty.
class RandomCalls final : public SampleRule {
 public:
  RandomCalls(uint64_t seed, unsigned percent) : random_(seed), percent_(percent) {}
  bool enters(ThreadId /*thread*/, uint32_t /*function*/) override { return random_() % 100 < percent_; }

 private:
  std::mt19937_64 random_;
  unsigned percent_;
};

// UCP (§5.2, table 3): all but the first ten calls of a function by a thread: what is left of the races shows what cold
// code is worth.
class Uncold final : public SampleRule {
 public:
  bool enters(ThreadId thread, uint32_t function) override {
    return ++counter_of(calls_[thread], function) > Sampler::kBurst;
  }

 private:
  std::unordered_map<ThreadId, std::vector<uint64_t>> calls_;
};

// norn's sampling profile (docs/design/sampling.md): TL-Ad for functions, and for loops, which may change the copy in
// the middle of a call. Who leaves a loop goes on in the copy that it was entered from. Counts begin anew with the
// first fork. Deviation: regions do not share numbers, however many there are.
class OwnSampling final : public ThreadLocalAdaptive {
 public:
  bool enters_always(ThreadId /*thread*/, uint32_t /*function*/) override { return true; }
  [[nodiscard]] bool samples_unknown() const override { return true; }
  void first_fork(ThreadId thread) override { counters_[thread].clear(); }

  void loop_step(ThreadId thread, uint32_t region, RegionStep step, Activation& of) override {
    const auto found = std::find_if(of.loops.rbegin(), of.loops.rend(),
                                    [&](const Activation::Loop& loop) { return loop.region == region; });
    if (found != of.loops.rend()) {
      of.loops.erase(found.base(), of.loops.end());  // loops inside it that an exception left
    } else if (step == RegionStep::kLeft) {
      return;  // its only iteration was in one copy
    } else {
      of.loops.push_back({region, of.sampled, kStride});
    }
    Activation::Loop& loop = of.loops.back();
    if (step == RegionStep::kLeft) {
      of.sampled = loop.home;
      of.loops.pop_back();
      return;
    }
    bool asks = of.sampled || step == RegionStep::kAgainAlways;
    if (!asks && step == RegionStep::kAgainSometimes) asks = --loop.stride == 0;
    if (!asks) return;
    loop.stride = kStride;
    of.sampled = counter_of(counters_[thread], region).next();
  }

 private:
  static constexpr uint32_t kStride = 1024;  // compiler/emit/regions.h
};

constexpr SamplerInfo kSamplers[] = {
    {"TL-Ad", "adaptive, for each function and thread (100, 10, 1, 0.1 %); bursts",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<ThreadLocalAdaptive>(); }},
    {"TL-Fx", "5 %, for each function and thread; bursts",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<ThreadLocalFixed>(); }},
    {"G-Ad", "adaptive, for each function (100, 50, 25, ..., 0.1 %); bursts",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<GlobalAdaptive>(); }},
    {"G-Fx", "10 %, for each function; bursts",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<GlobalFixed>(); }},
    {"Rnd10", "10 % of all calls, at random",
     [](uint64_t seed) -> std::unique_ptr<SampleRule> { return std::make_unique<RandomCalls>(seed, 10); }},
    {"Rnd25", "25 % of all calls, at random",
     [](uint64_t seed) -> std::unique_ptr<SampleRule> { return std::make_unique<RandomCalls>(seed, 25); }},
    {"UCP", "all but the first ten calls of a function by a thread",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<Uncold>(); }},
    {"norn", "the sampling profile: TL-Ad for functions and loops",
     [](uint64_t) -> std::unique_ptr<SampleRule> { return std::make_unique<OwnSampling>(); }},
};

}  // namespace

std::span<const SamplerInfo> samplers() { return kSamplers; }

void WaitedFor::look_at(const Item& item) {
  const Event& e = item.event;
  if (item.kind != ItemKind::kEvent || (e.kind != EventKind::kSpinRead && e.kind != EventKind::kLook)) return;
  constexpr uint64_t kMost = 4096;  // granules; a condition reads a few bytes
  const uint64_t count = std::min((e.size + 2 * kGranule - 2) / kGranule, kMost);
  for (uint64_t i = 0; i < count; ++i) granules_.insert(e.address / kGranule + i);
}

bool WaitedFor::contains(Address address, uint64_t size) const {
  if (granules_.empty()) return false;
  const uint64_t last = (address + std::max<uint64_t>(size, 1) - 1) / kGranule;
  if (last - address / kGranule > granules_.size()) {
    return std::any_of(granules_.begin(), granules_.end(),
                       [&](uint64_t granule) { return granule >= address / kGranule && granule <= last; });
  }
  for (uint64_t granule = address / kGranule; granule <= last; ++granule)
    if (granules_.contains(granule)) return true;
  return false;
}

void SamplerReplay::step(const Item& item) {
  const ThreadId thread = item.event.thread;
  const uint64_t depth = item.event.other;
  const auto region = static_cast<uint32_t>(item.event.size);
  std::vector<Activation>& stack = stacks_[thread];
  const bool ends = item.step == RegionStep::kFunction || item.step == RegionStep::kFunctionAlways ||
                    item.step == RegionStep::kReturn;
  while (!stack.empty() && (stack.back().depth > depth || (ends && stack.back().depth == depth))) stack.pop_back();
  switch (item.step) {
    case RegionStep::kFunction:
      stack.push_back({.depth = depth, .sampled = rule_->enters(thread, region)});
      break;
    case RegionStep::kFunctionAlways:
      stack.push_back({.depth = depth, .sampled = rule_->enters_always(thread, region)});
      break;
    case RegionStep::kReturn:
    case RegionStep::kCaught:
      break;
    default:
      if (!stack.empty() && stack.back().depth == depth) rule_->loop_step(thread, region, item.step, stack.back());
  }
}

bool SamplerReplay::logs(const Item& item) {
  const Event& e = item.event;
  if (item.kind == ItemKind::kRegion) return step(item), true;
  if (item.kind != ItemKind::kEvent) return true;
  if (e.kind == EventKind::kThreadFork && !forked_) {
    forked_ = true;
    rule_->first_fork(e.thread);
  }
  if (e.kind != EventKind::kRead && e.kind != EventKind::kWrite && e.kind != EventKind::kFree) return true;
  const std::vector<Activation>& stack = stacks_[e.thread];
  const bool sampled = stack.empty() ? rule_->samples_unknown() : stack.back().sampled;
  if (e.kind != EventKind::kFree) {
    ++accesses_;
    logged_ += sampled ? 1 : 0;
  }
  return sampled || waited_for_.contains(e.address, e.size);
}

}  // namespace norn::analyze
