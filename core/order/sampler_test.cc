#include "core/order/sampler.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace norn {
namespace {

// Runs of executions that are treated alike: {looked at, how many}.
std::vector<std::pair<bool, int>> runs_of(Sampler& sampler, int executions) {
  std::vector<std::pair<bool, int>> runs;
  for (int i = 0; i < executions; ++i) {
    const bool looked_at = sampler.next();
    if (runs.empty() || runs.back().first != looked_at) runs.push_back({looked_at, 0});
    ++runs.back().second;
  }
  return runs;
}

TEST(Sampler, LooksAtTheFirstExecutions) {
  Sampler sampler;
  EXPECT_EQ(runs_of(sampler, 10), (std::vector<std::pair<bool, int>>{{true, 10}}));
}

TEST(Sampler, BacksOffByTens) {
  Sampler sampler;
  EXPECT_EQ(runs_of(sampler, 100 + 1000 + 10000),
            (std::vector<std::pair<bool, int>>{
                {true, 10}, {false, 90}, {true, 10}, {false, 990}, {true, 10}, {false, 9990}}));
}

TEST(Sampler, NeverStopsLooking) {
  Sampler sampler;
  runs_of(sampler, 100 + 1000 + 10000);
  EXPECT_EQ(runs_of(sampler, 20000),
            (std::vector<std::pair<bool, int>>{{true, 10}, {false, 9990}, {true, 10}, {false, 9990}}));
}

TEST(Sampler, HotCodeIsLookedAtSeldom) {
  Sampler sampler;
  int looked_at = 0;
  for (int i = 0; i < 1'000'000; ++i) looked_at += sampler.next();
  EXPECT_EQ(looked_at, 10 + 10 + 10 + 10 * 99);
}

TEST(Sampler, WhoCountsItselfGetsTheSameAnswers) {
  Sampler asked;
  Sampler counted;
  for (int i = 0; i < 30000; ++i) {
    const bool answer = --counted.left < 0 && counted.ask();
    ASSERT_EQ(asked.next(), answer) << i;
  }
}

}  // namespace
}  // namespace norn
