#include "hive/assignment.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace norn::hive {
namespace {

std::vector<uint32_t> taus(const Policy& policy) {
  std::vector<uint32_t> all{policy.tau};
  while (const auto longer = next_tau(policy, all.back())) all.push_back(*longer);
  return all;
}

TEST(Tau, GrowsLinearlyToItsHighest) {
  EXPECT_EQ(taus({}), (std::vector<uint32_t>{1'000, 51'000, 101'000, 151'000, 200'000}));
}

TEST(Tau, OrDoubles) {
  EXPECT_EQ(taus({.steps = TauSteps::kDouble}),
            (std::vector<uint32_t>{1'000, 2'000, 4'000, 8'000, 16'000, 32'000, 64'000, 128'000, 200'000}));
}

TEST(Tau, EndsWhateverTheStepIs) {
  EXPECT_EQ(taus({.tau = 0, .tau_step = 0, .highest_tau = 3}).back(), 3U);
  EXPECT_EQ(taus({.tau = 0, .highest_tau = 3, .steps = TauSteps::kDouble}).back(), 3U);
}

std::vector<CandidateLoad> candidates(size_t number) {
  std::vector<CandidateLoad> all(number);
  for (size_t i = 0; i < number; ++i) all[i].race = "race" + std::to_string(i);
  return all;
}

TEST(Assignment, MoreSitesThanCandidatesAreSpreadEvenly) {
  auto all = candidates(10);
  for (int site = 0; site < 1000; ++site) {
    const auto chosen = choose(all, std::vector<Share>(10), {"site" + std::to_string(site), false});
    ASSERT_TRUE(chosen);
    ++all[*chosen].active;
  }
  for (const CandidateLoad& each : all) EXPECT_EQ(each.active, 100U);
}

TEST(Assignment, FewerSitesTakeDifferentOnesAndGoOn) {
  auto all = candidates(30);
  std::map<size_t, int> had;
  std::vector<std::vector<Share>> shares(3, std::vector<Share>(30));
  for (int round = 0; round < 10; ++round) {
    for (CandidateLoad& each : all) each.active = 0;
    for (size_t site = 0; site < 3; ++site) {
      auto left = all;
      // What others did is in `had`; here it stands for sites that are at it.
      for (const auto& [index, count] : had) left[index].active += static_cast<uint64_t>(count);
      const auto chosen = choose(left, shares[site], {"site" + std::to_string(site), false});
      ASSERT_TRUE(chosen);
      ++had[*chosen];
      ++all[*chosen].active;
      ++shares[site][*chosen].executions;
    }
  }
  EXPECT_EQ(had.size(), 30U);
}

TEST(Assignment, WhatDoesNotCompleteGetsMoreSites) {
  auto all = candidates(2);
  all[0].active = all[1].active = 4;
  all[1].overdue = 3;
  EXPECT_EQ(choose(all, std::vector<Share>(2), {"s", false}), 1U);
}

TEST(Assignment, SeverityWeighs) {
  auto all = candidates(2);
  all[0].weight = 4;
  all[0].active = 2;
  EXPECT_EQ(choose(all, std::vector<Share>(2), {"s", false}), 0U);
  all[0].active = 4;
  EXPECT_EQ(choose(all, std::vector<Share>(2), {"s", false}), 1U);
}

TEST(Assignment, WhatIsSettledLeavesEveryList) {
  auto all = candidates(1);
  all[0].settled = true;
  for (int site = 0; site < 100; ++site)
    EXPECT_FALSE(choose(all, std::vector<Share>(1), {"site" + std::to_string(site), false}));
}

TEST(Assignment, ARaceThatOneSiteSawIsAskedOfOthersRarely) {
  auto all = candidates(5);
  all[0].state = State::kPrimary;
  std::vector<Share> shares(5);
  for (int site = 0; site < 1000; ++site) ++all[*choose(all, shares, {"site" + std::to_string(site), false})].active;
  EXPECT_GT(all[0].active, 0U);
  EXPECT_LT(all[0].active, 1000U / 32);
  // Not of the one that saw it.
  shares[0].saw_race = true;
  for (CandidateLoad& each : all) each.active = 1000;
  all[0].active = 0;
  EXPECT_NE(choose(all, shares, {"s", false}), 0U);
}

TEST(Assignment, WhatASiteDroppedGoesToOthers) {
  const auto all = candidates(1);
  const std::vector<Share> dropped{{.dropped = true}};
  EXPECT_FALSE(choose(all, dropped, {"a", false}));
  EXPECT_TRUE(choose(all, std::vector<Share>(1), {"b", false}));
}

TEST(Assignment, ABurdenedSiteGetsWhatCostsLess) {
  auto all = candidates(2);
  all[0].spent = 0.2;
  all[1].active = 1;
  EXPECT_EQ(choose(all, std::vector<Share>(2), {"s", false}), 0U);
  EXPECT_EQ(choose(all, std::vector<Share>(2), {"s", true}), 1U);
}

TEST(Assignment, WhoIsBurdened) {
  const Burden all{.spent = 1'000, .lived = 100'000, .timeouts = 10, .executions = 100};
  EXPECT_FALSE(is_burdened({.spent = 10, .lived = 1'000, .timeouts = 0, .executions = 1}, all));
  EXPECT_TRUE(is_burdened({.spent = 30, .lived = 1'000, .timeouts = 0, .executions = 1}, all));
  EXPECT_TRUE(is_burdened({.spent = 0, .lived = 1'000, .timeouts = 3, .executions = 10}, all));
  EXPECT_FALSE(is_burdened({}, all));
  // Alone, a site is the mean.
  EXPECT_FALSE(is_burdened(all, all));
}

}  // namespace
}  // namespace norn::hive
