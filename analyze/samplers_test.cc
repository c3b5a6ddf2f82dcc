// Samplers on hand-made traces: which calls each of them logs.
#include "analyze/samplers.h"

#include <gtest/gtest.h>

namespace norn::analyze {
namespace {

using trace::Item;
using trace::ItemKind;
using trace::RegionStep;

Item region(ThreadId thread, RegionStep step, uint32_t number, uint64_t depth) {
  Item item;
  item.kind = ItemKind::kRegion;
  item.step = step;
  item.event.thread = thread;
  item.event.size = number;
  item.event.other = depth;
  return item;
}

Item access(ThreadId thread, Address address = 0x1000, EventKind kind = EventKind::kWrite) {
  Item item;
  item.event = {.kind = kind, .thread = thread, .address = address, .size = 8};
  return item;
}

class Replayed {
 public:
  explicit Replayed(std::string_view name) : replay_(find(name), 7, waited_for_) {}

  bool operator()(const Item& item) { return replay_.logs(item); }
  // Calls a function that makes one access and returns; whether that is logged.
  bool call(ThreadId thread, uint32_t function, uint64_t depth = 1) {
    (void)replay_.logs(region(thread, RegionStep::kFunction, function, depth));
    const bool logged = replay_.logs(access(thread));
    (void)replay_.logs(region(thread, RegionStep::kReturn, 0, depth));
    return logged;
  }
  // The numbers of the calls that are logged, of so many.
  std::vector<int> calls(ThreadId thread, uint32_t function, int count) {
    std::vector<int> logged;
    for (int i = 0; i < count; ++i)
      if (call(thread, function)) logged.push_back(i);
    return logged;
  }
  SamplerReplay& replay() { return replay_; }
  void wait_for(const Item& item) { waited_for_.look_at(item); }

 private:
  static const SamplerInfo& find(std::string_view name) {
    for (const SamplerInfo& sampler : samplers())
      if (sampler.name == name) return sampler;
    ADD_FAILURE() << name;
    return samplers()[0];
  }
  WaitedFor waited_for_;
  SamplerReplay replay_;
};

// The first of each burst of ten.
std::vector<int> bursts(const std::vector<int>& calls) {
  std::vector<int> first;
  for (size_t i = 0; i < calls.size(); i += 10) {
    first.push_back(calls[i]);
    for (size_t k = i; k < i + 10 && k < calls.size(); ++k)
      EXPECT_EQ(calls[k], calls[i] + static_cast<int>(k - i)) << "no burst";
  }
  return first;
}

TEST(Samplers, TableThreeHasSevenAndNornOne) {
  std::vector<std::string_view> names;
  for (const SamplerInfo& sampler : samplers()) names.push_back(sampler.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"TL-Ad", "TL-Fx", "G-Ad", "G-Fx", "Rnd10", "Rnd25", "UCP", "norn"}));
}

TEST(Samplers, ThreadLocalAdaptiveBacksOffForEachThread) {
  Replayed sampler("TL-Ad");
  const std::vector<int> expected = {0, 100, 1100, 11100, 21100};
  EXPECT_EQ(bursts(sampler.calls(1, 5, 25000)), expected);
  // Hot in one thread, cold in another; and another function of the first.
  EXPECT_EQ(bursts(sampler.calls(2, 5, 25000)), expected);
  EXPECT_EQ(bursts(sampler.calls(1, 6, 25000)), expected);
}

TEST(Samplers, ThreadLocalFixedIsFivePercent) {
  Replayed sampler("TL-Fx");
  EXPECT_EQ(bursts(sampler.calls(1, 5, 1000)), (std::vector<int>{0, 200, 400, 600, 800}));
  EXPECT_EQ(sampler.calls(2, 5, 1000).size(), 50u);
}

TEST(Samplers, GlobalAdaptiveHalvesForAllThreadsTogether) {
  Replayed sampler("G-Ad");
  EXPECT_EQ(bursts(sampler.calls(1, 5, 320)), (std::vector<int>{0, 20, 60, 140, 300}));
  // The second thread's first call is in the pause that the first one's calls led to.
  EXPECT_FALSE(sampler.call(2, 5));
  EXPECT_TRUE(sampler.call(2, 6));
  // It ends at 0.1 %.
  Replayed longer("G-Ad");
  EXPECT_EQ(longer.calls(1, 5, 1000000).size() / 10, 108u);
}

TEST(Samplers, GlobalFixedIsTenPercentOfAllThreadsTogether) {
  Replayed sampler("G-Fx");
  EXPECT_EQ(bursts(sampler.calls(1, 5, 250)), (std::vector<int>{0, 100, 200}));
  EXPECT_FALSE(sampler.call(2, 5));
}

TEST(Samplers, RandomOnesHaveTheirRateAndTheirSeed) {
  for (const auto& [name, percent] : {std::pair{"Rnd10", 10.0}, std::pair{"Rnd25", 25.0}}) {
    Replayed sampler(name);
    Replayed again(name);
    const std::vector<int> calls = sampler.calls(1, 5, 100000);
    EXPECT_NEAR(static_cast<double>(calls.size()) / 1000, percent, 0.5);
    EXPECT_EQ(calls, again.calls(1, 5, 100000));
  }
}

TEST(Samplers, UncoldLeavesOutTheFirstTenCallsOfEachThread) {
  Replayed sampler("UCP");
  EXPECT_EQ(sampler.calls(1, 5, 13), (std::vector<int>{10, 11, 12}));
  EXPECT_EQ(sampler.calls(2, 5, 12), (std::vector<int>{10, 11}));
}

TEST(Samplers, AnAccessBelongsToTheFunctionThatRuns) {
  Replayed sampler("UCP");
  // The callee is hot, the caller is not.
  sampler.calls(1, 9, 10);
  (void)sampler(region(1, RegionStep::kFunction, 5, 1));
  EXPECT_FALSE(sampler(access(1)));
  EXPECT_TRUE(sampler.call(1, 9, 2));
  EXPECT_FALSE(sampler(access(1)));
  // What an exception left does not run any more.
  (void)sampler(region(1, RegionStep::kFunction, 9, 2));
  EXPECT_TRUE(sampler(access(1)));
  (void)sampler(region(1, RegionStep::kCaught, 0, 1));
  EXPECT_FALSE(sampler(access(1)));
  // Nor does what longjmp left: the next call is at no greater depth.
  (void)sampler(region(1, RegionStep::kFunction, 9, 2));
  (void)sampler(region(1, RegionStep::kFunction, 6, 2));
  EXPECT_FALSE(sampler(access(1)));
}

TEST(Samplers, OnlyReadsAndWritesAreCountedAndSynchronizationIsAlwaysLogged) {
  Replayed sampler("UCP");
  (void)sampler(region(1, RegionStep::kFunction, 5, 1));
  EXPECT_TRUE(sampler(access(1, 0x50, EventKind::kLockAcquire)));
  EXPECT_TRUE(sampler(access(1, 0x50, EventKind::kAtomicRmw)));
  EXPECT_FALSE(sampler(access(1, 0x50, EventKind::kFree)));
  EXPECT_FALSE(sampler(access(1, 0x50, EventKind::kRead)));
  EXPECT_EQ(sampler.replay().accesses(), 1u);
  EXPECT_EQ(sampler.replay().logged(), 0u);
}

TEST(Samplers, WhatIsWaitedForOrdersThreads) {
  Replayed sampler("UCP");
  sampler.wait_for(access(2, 0x2004, EventKind::kSpinRead));
  (void)sampler(region(1, RegionStep::kFunction, 5, 1));
  EXPECT_TRUE(sampler(access(1, 0x2000)));
  EXPECT_TRUE(sampler(access(1, 0x2008)));
  EXPECT_FALSE(sampler(access(1, 0x2010)));
  EXPECT_EQ(sampler.replay().logged(), 0u);
}

TEST(Samplers, NornsOwnAsksInLoopsAndGoesHome) {
  Replayed sampler("norn");
  (void)sampler(region(1, RegionStep::kFunction, 5, 1));
  // The loop's first iteration is not asked for, then ten are logged, then it gets hot.
  int logged = 0;
  for (int i = 0; i < 50; ++i) {
    logged += sampler(access(1)) ? 1 : 0;
    (void)sampler(region(1, RegionStep::kAgainAlways, 6, 1));
  }
  EXPECT_EQ(logged, 11);
  (void)sampler(region(1, RegionStep::kLeft, 6, 1));
  EXPECT_TRUE(sampler(access(1))) << "it was entered from the checked copy";
  // A loop that asks never does not come back by itself; one that asks sometimes does at the 1024th.
  for (const RegionStep step : {RegionStep::kAgainNever, RegionStep::kAgainSometimes}) {
    Replayed inner("norn");
    (void)inner(region(1, RegionStep::kFunction, 5, 1));
    logged = 0;
    for (int i = 0; i < 11 + 91 * 1024 + 20; ++i) {
      logged += inner(access(1)) ? 1 : 0;
      (void)inner(region(1, step, 6, 1));
    }
    EXPECT_EQ(logged, step == RegionStep::kAgainNever ? 11 : 21);
  }
}

TEST(Samplers, NornsOwnBeginsAnewWithTheFirstForkAndChecksWhatHasNoCopies) {
  Replayed sampler("norn");
  EXPECT_EQ(sampler.calls(1, 5, 20).size(), 10u);
  (void)sampler(access(1, 0, EventKind::kThreadFork));
  EXPECT_EQ(sampler.calls(1, 5, 20).size(), 10u);
  (void)sampler(access(1, 0, EventKind::kThreadFork));
  EXPECT_EQ(sampler.calls(1, 5, 20).size(), 0u);
  for (int i = 0; i < 30; ++i) {
    (void)sampler(region(1, RegionStep::kFunctionAlways, 7, 1));
    EXPECT_TRUE(sampler(access(1)));
  }
}

}  // namespace
}  // namespace norn::analyze
